import { randomUUID } from "node:crypto";
import type { Kysely } from "kysely";
import { every } from "../runtime/every.ts";
import type { Log } from "../runtime/log.ts";
import { codeOf } from "../storage/errors.ts";
import { announce, operators } from "../storage/events/announce.ts";
import type { Tables } from "../storage/tables.ts";
import type { CircuitBreaker, UpstreamHealth } from "../upstreams/circuit-breaker.ts";

/** How one serving process sees one upstream. Times are milliseconds since 1970. */
export interface UpstreamStatus extends UpstreamHealth {
  instance: string;
  notedAt: number;
}

const noteEvery = 5_000;
/** In this time, several processes that see the same alarm make one event. */
const sameAlarm = 3_600_000;
/** Older notes are from processes that are gone. */
export const forgottenAfter = 60_000;

/**
 * Writes this process's view of its upstreams to the store for the command line, every few seconds and after `changed`.
 */
export function reportUpstreamStatus(
  db: Kysely<Tables>,
  upstreams: readonly Pick<CircuitBreaker, "health">[],
  log: Log,
) {
  const instance = randomUUID();
  /** The alarm of each upstream that operators were told of. */
  const told = new Map<string, UpstreamHealth["alarm"]>();
  let again = false;

  const tell = async (vendor: string, alarm: UpstreamHealth["alarm"], at: number) => {
    if ((told.get(vendor) ?? null) === alarm) return;
    const event = { type: "vendor.alarm", audience: operators, mode: null, about: vendor, at } as const;
    await announce(db, { ...event, data: { vendor, alarm } }, at - sameAlarm);
    told.set(vendor, alarm);
  };

  const note = async () => {
    const at = Date.now();
    for (const { name, state, alarm, lastAnswerAt, lastFailures } of upstreams.map((upstream) => upstream.health())) {
      const columns = {
        state,
        alarm,
        last_answer_at: lastAnswerAt,
        last_failures: JSON.stringify(lastFailures),
        noted_at: at,
      };
      await tell(name, alarm, at);
      await db
        .insertInto("upstream_status")
        .values({ instance, upstream: name, ...columns })
        .onConflict((conflict) => conflict.columns(["instance", "upstream"]).doUpdateSet(columns))
        .execute();
    }
  };
  const noting = every(noteEvery, async () => {
    do {
      again = false;
      await note().catch((error: unknown) =>
        log.warn({ code: codeOf(error) }, "Duba could not write the state of the identity upstreams to the store"),
      );
    } while (again);
  });
  const changed = () => {
    again = true;
    void noting.run();
  };
  if (upstreams.length > 0) changed();

  return {
    changed,
    /** Ends the reports and deletes those of this process. */
    async stop(): Promise<void> {
      await noting.stop();
      if (upstreams.length === 0) return;
      await db
        .deleteFrom("upstream_status")
        .where("instance", "=", instance)
        .execute()
        .catch(() => undefined);
    },
  };
}

/** Reads how the serving processes see their upstreams. */
export async function upstreamStatus(db: Kysely<Tables>, now: number = Date.now()): Promise<UpstreamStatus[]> {
  const rows = await db
    .selectFrom("upstream_status")
    .selectAll()
    .where("noted_at", ">=", now - forgottenAfter)
    .orderBy("upstream")
    .orderBy("instance")
    .execute();
  return rows.map((row) => ({
    instance: row.instance,
    name: row.upstream,
    state: row.state as UpstreamHealth["state"],
    alarm: row.alarm as UpstreamHealth["alarm"],
    lastAnswerAt: row.last_answer_at,
    lastFailures: JSON.parse(row.last_failures),
    notedAt: row.noted_at,
  }));
}
