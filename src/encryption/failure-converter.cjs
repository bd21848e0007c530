/**
 * Puts what a failure says, and where it came from, into a payload, which the codec then seals. In CommonJS, because the
 * SDK asks for the path of a module and loads it with `require`.
 *
 * The type of a failure stays readable: one that is not a plain word may be data, and is replaced.
 */

const { DefaultFailureConverter } = require('@temporalio/common');

class SealingFailureConverter extends DefaultFailureConverter {
  constructor() {
    super({ encodeCommonAttributes: true });
  }

  errorToFailure(...given) {
    const failure = super.errorToFailure(...given);
    const { applicationFailureInfo: info } = failure;
    if (info?.type && !/^[A-Za-z.]{1,100}$/.test(info.type)) info.type = 'Error';
    return failure;
  }
}

exports.failureConverter = new SealingFailureConverter();
