/** The sandbox of eve's own tools: one without a container. */

import { defineSandbox } from 'eve/sandbox';
import { JustBashSandbox } from 'eve/sandbox/just-bash';

export const environment = JustBashSandbox.environment();

export default defineSandbox(() => environment.open());
