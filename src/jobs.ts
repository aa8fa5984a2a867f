import type { Access } from "./access/access.ts";
import type { AuditTrail } from "./audit/audit.ts";
import type { OpenCatalogue } from "./catalogue/catalogue.ts";
import type { AlarmTeller } from "./commands/health/tell-alarms.ts";
import type { MinuteCounts } from "./console/counters/minute-counts.ts";
import type { Events } from "./events/events.ts";
import type { Identity } from "./identity/identity.ts";
import type { UpstreamNotes } from "./identity/upstream-status.ts";
import type { WatchedKeyring } from "./keyring/watch.ts";
import type { RequestRoom } from "./requests/request-log-room.ts";
import type { Job } from "./storage/pulse/job-runner.ts";

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;

/** What the jobs work on. */
export interface JobParts {
  keyring: WatchedKeyring;
  /** Undefined: the ring rotates by hand. */
  rotateKeyring: (() => Promise<void>) | undefined;
  audit: AuditTrail;
  access: Access;
  catalogue: OpenCatalogue;
  identity: Identity;
  upstreams: UpstreamNotes;
  events: Events;
  requests: RequestRoom;
  counts: MinuteCounts | undefined;
  alarms: AlarmTeller | undefined;
  /** Notes the jobs that fail. */
  noteFailing: () => Promise<void>;
  /** Moves the trusted time on. */
  tickClock: () => Promise<void>;
  /** Removes what is old. */
  sweep: (signal: AbortSignal) => Promise<void>;
}

/** Everything that a serving process does again and again. */
export function everyJob(parts: JobParts): Job[] {
  const { keyring, rotateKeyring, audit, access, catalogue, identity, upstreams, events, requests, counts, alarms } =
    parts;
  return [
    { name: "read a changed key ring", every: second, run: () => keyring.look() },
    { name: "follow changes of keys", when: () => true, run: (beat) => access.credentials.follow(beat) },
    { name: "follow the catalogue", when: (beat) => beat !== undefined, run: (beat) => catalogue.follow(beat!) },
    { name: "pull the catalogue", every: 5 * second, run: (_, signal) => catalogue.pull(signal) },
    ...identity.jobs,
    { name: "seal the audit trail", when: (beat) => beat?.unsealed, leader: true, run: () => audit.seal() },
    { name: "anchor the audit trail", every: minute, run: () => audit.anchor() },
    { name: "deliver events", when: (beat) => beat?.deliveries, run: () => events.deliver() },
    { name: "note how vendors are", when: () => upstreams.isDue(), run: () => upstreams.note() },
    { name: "write the request log", every: second, run: async () => requests.entries?.write() },
    { name: "write uses of keys", every: minute, run: () => access.writeUses() },
    { name: "write the counts of the minute", every: minute, run: async () => counts?.flush() },
    { name: "announce keys that end", every: hour, run: () => access.tellEnding() },
    { name: "rotate the key ring", every: minute, run: async () => rotateKeyring?.() },
    { name: "tell alarms", every: minute, run: async () => alarms?.look() },
    { name: "note failing jobs", every: minute, run: parts.noteFailing },
    { name: "trust the clock", every: minute, run: parts.tickClock },
    { name: "remove what is old", every: minute, leader: true, run: (_, signal) => parts.sweep(signal) },
  ];
}
