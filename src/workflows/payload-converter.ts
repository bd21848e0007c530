/** The payload converter of the workflow's sandbox: lenient for chains, Temporal's own for workflows of the user. */

import { defaultPayloadConverter, type PayloadConverter } from '@temporalio/common';
import { inWorkflowContext, workflowInfo } from '@temporalio/workflow';
import { callWorkflowType, createLenientPayloadConverter, workflowType } from '../contract/index.js';

const lenient = createLenientPayloadConverter(defaultPayloadConverter);

export const payloadConverter: PayloadConverter = {
  toPayload: (value, context, hint) => defaultPayloadConverter.toPayload(value, context, hint),
  fromPayload: (payload, context, hint) => findConverter().fromPayload(payload, context, hint),
};

function findConverter(): PayloadConverter {
  if (!inWorkflowContext()) return lenient;
  const { workflowType: type } = workflowInfo();
  return type === workflowType || type === callWorkflowType ? lenient : defaultPayloadConverter;
}
