/** The service's side of a measurement: it starts chains and waits for them when the driver asks it to. */

/** Where things are: the only argument of a service, as JSON. */
export function readPlaces() {
  return JSON.parse(process.argv[2] ?? '{}');
}

/**
 * Answers the driver until it asks to stop, or is gone.
 *
 * @param {object} service
 * @param {(id: string, task: string) => Promise<boolean>} [service.run] runs a chain: whether it answered
 * @param {(id: string) => Promise<boolean>} [service.resume] waits for a chain that an earlier process began
 * @param {() => Promise<void>} [service.stop]
 */
export function serve({ run, resume, stop }) {
  const work = { run, resume };
  const end = async () => {
    await stop?.();
    process.exit(0);
  };
  process.on('message', (question) => {
    if (question === 'stop') return void end();
    const { number, kind, id, task } = question;
    work[kind](id, task).then(
      (isOk) => process.send?.({ number, isOk }),
      (error) => process.send?.({ number, isOk: false, error: String(error?.stack ?? error) }),
    );
  });
  process.once('disconnect', end);
  process.send?.({ type: 'ready' });
}
