import { trailTrimmer } from "../audit/trim-trail.ts";
import type { Core } from "../commands/context.ts";
import { noteFailingJobs } from "../storage/pulse/failing-jobs.ts";
import type { Job } from "../storage/pulse/job-runner.ts";
import { sweeper } from "../storage/retention/sweep.ts";
import { everyRule } from "../storage/tables/every-table.ts";
import type { Rooms } from "./rooms.ts";

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;

export interface JobParts extends Rooms {
  core: Core;
}

/**
 * Returns all repeated work of a serving process. Three parts have timers of their own: servers, which check
 * connections and sum up refusals even while no pulse runs (`http/shell/`, `http/access-log.ts`); workers and their
 * supervisor, which must not depend on a pulse (`serve/`); and code that waits for one event.
 */
export async function everyJob({ core, ...rooms }: JobParts): Promise<Job[]> {
  const { log, keptTimes } = core;
  const { store, clock, pulse, keyring, audit, access } = rooms;
  const { catalogue, identity, upstreams, opened } = rooms;
  const { db, now } = store;
  const trimTrail = trailTrimmer(keyring.current.audit);
  const rules = everyRule({ ...keptTimes, audit: audit.append, trimTrail });
  const sweep = sweeper({ db, clock, rules, audit: audit.append, log });
  return [
    { name: "read a changed key ring", every: second, run: () => keyring.look() },
    { name: "follow changes of keys", when: () => true, run: (beat) => access.credentials.follow(beat) },
    { name: "follow the catalogue", when: (beat) => beat !== undefined, run: (beat) => catalogue.follow(beat!) },
    ...identity.jobs,
    { name: "seal the audit trail", when: (beat) => beat?.unsealed, leader: true, run: () => audit.seal() },
    { name: "anchor the audit trail", every: minute, run: () => audit.anchor() },
    { name: "note how vendors are", when: () => upstreams.isDue(), run: () => upstreams.note() },
    { name: "write uses of keys", every: minute, run: () => access.writeUses() },
    { name: "announce keys that end", every: hour, run: () => access.announceExpiring() },
    { name: "note failing jobs", every: minute, run: () => noteFailingJobs(db, pulse.id, pulse.failing(), now()) },
    { name: "trust the clock", every: minute, run: () => clock.tick(pulse.isLeader()) },
    ...opened.flatMap(({ jobs }) => jobs ?? []),
    { name: "remove what is old", every: minute, leader: true, run: (_, signal) => sweep(signal) },
  ];
}
