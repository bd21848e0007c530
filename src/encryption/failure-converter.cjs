/**
 * Puts what a failure says, and where it came from, into a payload, which the codec then seals. In CommonJS, because the
 * SDK asks for the path of a module and loads it with `require`.
 */

const { DefaultFailureConverter } = require('@temporalio/common');

exports.failureConverter = new DefaultFailureConverter({ encodeCommonAttributes: true });
