import { recordsWith } from "../commands/records/record-kinds.ts";
import { features } from "../features.ts";

/** Every kind of record that people find and open, of the core and of its features. */
export const everyRecord = recordsWith(await Promise.all(features.map(({ records }) => records?.() ?? {})));
