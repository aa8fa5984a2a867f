import type { Kysely } from "kysely";
import { type CheckKind, checkKinds } from "../../operation/check-kind.ts";
import type { Audited, WithClock } from "../../storage/audited.ts";
import { noteChange } from "../../storage/change-counter.ts";
import { put } from "../../storage/queries/put.ts";
import type { Tables } from "../../storage/tables.ts";

/** A vendor that gets no new attempts. */
export interface PausedRoute {
  vendor: string;
  /** Null: every kind of check. */
  kind: CheckKind | null;
  /** Milliseconds since 1970. Null: until somebody resumes it. */
  until: number | null;
}

const prefix = "route-paused";
const nameOfPause = ({ vendor, kind }: Pick<PausedRoute, "vendor" | "kind">) =>
  [prefix, vendor, kind ?? "all"].join(":");

/** The pauses that hold at `now`. */
export async function pausedRoutes(db: Kysely<Tables>, now: number): Promise<PausedRoute[]> {
  const rows = await db
    .selectFrom("fact")
    .select(["name", "value"])
    .where("name", ">=", `${prefix}:`)
    .where("name", "<", `${prefix};`)
    .orderBy("name")
    .execute();
  return rows
    .map(({ name, value }): PausedRoute => {
      const [, vendor, kind] = name.split(":");
      return { vendor: vendor!, kind: kind === "all" ? null : (kind as CheckKind), until: JSON.parse(value).until };
    })
    .filter(({ until }) => until === null || until > now);
}

/** Pauses a vendor, or changes until when it is paused. Every process obeys within seconds. */
export async function pauseRoute({ db, audit, actor, now }: Audited & WithClock, route: PausedRoute): Promise<void> {
  const { vendor, kind, until } = route;
  await db.transaction().execute(async (trx) => {
    await put(trx, "fact", { name: nameOfPause(route) }, { value: JSON.stringify({ until }), created_at: now() });
    await noteChange(trx, "routes");
    await audit(trx, { kind: "route.paused", actor, facts: { vendor, kind, until } });
  });
}

/** Ends a pause, or with `kind` null every pause of the vendor. False if there is none. */
export async function resumeRoute(
  { db, audit, actor }: Audited,
  route: Pick<PausedRoute, "vendor" | "kind">,
): Promise<boolean> {
  const { vendor, kind } = route;
  return db.transaction().execute(async (trx) => {
    const names =
      kind === null ? [null, ...checkKinds].map((kind) => nameOfPause({ vendor, kind })) : [nameOfPause(route)];
    const gone = await trx.deleteFrom("fact").where("name", "in", names).returning("name").execute();
    if (gone.length === 0) return false;
    await noteChange(trx, "routes");
    await audit(trx, { kind: "route.resumed", actor, facts: { vendor, kind } });
    return true;
  });
}
