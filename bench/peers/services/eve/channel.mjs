/** The HTTP API of eve, for anybody on this machine. */

import { none } from 'eve/channels/auth';
import { eveChannel } from 'eve/channels/eve';

export default eveChannel({ auth: [none()] });
