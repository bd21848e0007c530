/** Dynamic settings of the test servers, beside those of `startDevServer`. */

/**
 * The list of a busy server follows its workflows with a delay: here of up to a second instead of some hundredths. Then each read
 * of it that trusts it to be up to date fails. Set by `npm run test:lagging`.
 */
const listSettings = process.env.LONGHAND_TEST_LAG === '1' ? ['history.visibilityProcessorMaxPollRPS=1'] : [];

/** A deletion waits until all queues have acknowledged their tasks, which they do every 30 s by default. */
const deletionSettings = [
  'history.transferProcessorUpdateAckInterval="200ms"',
  'history.visibilityProcessorUpdateAckInterval="200ms"',
];

export const testServerSettings: readonly string[] = [...listSettings, ...deletionSettings];
