import type { Job } from './kit.ts'
import { notify } from './notify.ts'

/** Every queue of the program. A new one is a file beside this and a line here. */
export const jobs: Job[] = [notify]
