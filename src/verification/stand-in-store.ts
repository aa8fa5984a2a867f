import { sql } from "kysely";
import { StoreError } from "../storage/errors.ts";
import { insertIfNew } from "../storage/queries/upsert.ts";
import type { Db } from "../storage/tables.ts";

/** The permanent row that says whether the live verifications of a store are about real or invented people. */
const name = "live-verifications";
const ofStandIns = "of stand-ins";
const ofVendors = "of vendors";

const cure =
  "Give the rehearsal a data directory or database of its own (DUBA_DATA, DUBA_DATABASE_URL), and the service another.";

interface Start {
  /** The setting DUBA_STAND_INS. */
  standIns: boolean;
  upstreams: readonly string[];
}

/**
 * Notes whether stand-ins invent the store's persons, at the first start that could accept live verifications. Throws a
 * `StoreError` if the store has persons of the other kind. Call this before this process has a lease and `checkClaim`
 * afterwards. Then of two instances that start at once with different settings, one is refused.
 */
export async function claimStore(db: Db, start: Start, now: number): Promise<void> {
  const { standIns, upstreams } = start;
  if (standIns && (await claimOf(db)) === undefined && (await hasLive(db))) throw errorFor(start);
  if (standIns)
    await sql`
      insert into fact (name, value, created_at)
        select cast(${name} as text), cast(${ofStandIns} as text), cast(${now} as bigint)
        where not exists (select 1 from verification_owner where expires_at > ${now})
        on conflict (name) do nothing`.execute(db);
  else if (upstreams.length > 0) await insertIfNew(db, "fact", { name }, { value: ofVendors, created_at: now });
  await checkClaim(db, start);
}

/**
 * Throws a `StoreError` if the store is for live verifications of real people and this start for those of invented
 * people, or the reverse, or if a service without stand-ins runs on the store.
 */
export async function checkClaim(db: Db, start: Start): Promise<void> {
  const claim = await claimOf(db);
  if (start.standIns && claim === undefined)
    throw new StoreError(`A service runs on this store without DUBA_STAND_INS. ${cure}`);
  if (claim !== undefined && claim !== (start.standIns ? ofStandIns : ofVendors)) throw errorFor(start);
}

function errorFor({ standIns }: Start): StoreError {
  const refused = standIns
    ? "This store is for live verifications of real people, and DUBA_STAND_INS is on"
    : "This store is a rehearsal for ever: its live verifications are of people that stand-ins of vendors " +
      "invented. DUBA_STAND_INS is off";
  return new StoreError(`${refused}. ${cure}`);
}

/** Whether the live verifications of a store are about invented people. */
export async function isRehearsal(db: Db): Promise<boolean> {
  return (await claimOf(db)) === ofStandIns;
}

async function claimOf(db: Db): Promise<string | undefined> {
  return (await db.selectFrom("fact").select("value").where("name", "=", name).executeTakeFirst())?.value;
}

/** Looks for live verifications, because a store of a version that noted no claim may have some. */
async function hasLive(db: Db): Promise<boolean> {
  const live = db.selectFrom("verification").select("reference").where("mode", "=", "live");
  return (await live.limit(1).executeTakeFirst()) !== undefined;
}
