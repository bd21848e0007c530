/**
 * Moves a failure's message and stack into a payload, which the codec then seals. CommonJS, because the SDK loads the
 * module by path with `require`.
 *
 * The type of a failure stays readable: a type that is not a plain word may be data and is replaced.
 */

const { DefaultFailureConverter } = require('@temporalio/common');

class SealingFailureConverter extends DefaultFailureConverter {
  constructor() {
    super({ encodeCommonAttributes: true });
  }

  errorToFailure(...args) {
    const failure = super.errorToFailure(...args);
    const { applicationFailureInfo: info } = failure;
    if (info?.type && !/^[A-Za-z.]{1,100}$/.test(info.type)) info.type = 'Error';
    return failure;
  }
}

exports.failureConverter = new SealingFailureConverter();
