import type { Job } from './kit.ts'
import { feedDecide } from './feed-decide.ts'
import { feedIngest } from './feed-ingest.ts'
import { feedTest } from './feed-test.ts'
import { maintenance } from './maintenance.ts'
import { notify } from './notify.ts'

/** Every queue of the program. A new one is a file beside this and a line here. */
export const jobs: Job[] = [feedDecide, feedIngest, feedTest, maintenance, notify]
