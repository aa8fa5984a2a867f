import { randomBytes } from "node:crypto";
import type { Transaction } from "kysely";
import { mend } from "../../declare/command/mend.ts";
import { type EventType, eventTypeNames } from "../../declare/event.ts";
import { Failure } from "../../declare/failures.ts";
import type { Caller, Mode } from "../../declare/operation.ts";
import { secretsOf } from "../../keyring/endpoint-secrets.ts";
import { openSecret, sealSecret } from "../../keyring/envelope-encryption.ts";
import type { Keyring } from "../../keyring/keyring.ts";
import { newSecret } from "../../runtime/network/signature.ts";
import { type Audited, inTransaction } from "../../storage/audited.ts";
import { lockCounter } from "../../storage/change-counter.ts";
import { operators } from "../../storage/events/announce.ts";
import { endpointTrail } from "../../storage/events/endpoint-trail.ts";
import { changesByKeys, endpointFacts, isRevokedKey } from "../../storage/events/made-endpoints.ts";
import type { Db, EventEndpointRow, Tables } from "../../storage/tables.ts";
import { EndpointError } from "./endpoint-error.ts";

/** The most endpoints of an account in each mode, and of all operators together. */
const mostEndpoints = 10;

/** The most changes of endpoints by keys of an account in one mode within `changesWithin` milliseconds. */
const mostChanges = 50;
const changesWithin = 24 * 3_600_000;

/** An API client may reach the endpoints of its account in the mode of its key. */
export type EndpointOwner = Pick<Caller, "accountId" | "mode">;

/** The resources of changes to endpoints. */
export interface EndpointPlace extends Audited {
  keyring: Keyring;
  now: number;
}

export interface NewEndpoint {
  /** An account. Null: operators. */
  accountId: string | null;
  /** Null: of operators. */
  mode: Mode | null;
  url: URL;
  /** Empty: all types that exist today. A type that is added later must be named. */
  types: readonly EventType[];
}

/**
 * Locks endpoints and events. Checks that the key may still change endpoints, because the cache may accept a key for 5
 * s after its revocation.
 */
export async function lockEndpoints(trx: Transaction<Tables>, actor: string): Promise<void> {
  await lockCounter(trx, "event");
  if (await isRevokedKey(trx, actor)) throw new EndpointError("invalid_credentials", "The API key is revoked.");
}

/**
 * Locks endpoints and events for a new change. Throws `rate_limited` if keys of the same account and mode made 50
 * changes within 24 hours. The audit trail has an entry for each change, by which we count them.
 */
export async function beginChange(trx: Transaction<Tables>, actor: string, now: number): Promise<void> {
  await lockEndpoints(trx, actor);
  const changes = await changesByKeys(trx, actor, now - changesWithin, mostChanges);
  if (changes.length < mostChanges) return;
  const retryAfter = Math.max(1, Math.ceil((changes.at(-1)! + changesWithin - now) / 1000));
  throw new Failure(
    "rate_limited",
    `The keys of the account changed endpoints ${mostChanges} times in 24 hours. Try again in ${retryAfter} s, or ask the operator of the service.`,
    { retryAfter },
  );
}

/**
 * Adds an endpoint and returns its secret, which is stored sealed. Throws an `EndpointError` for a URL that already has
 * an endpoint, and beyond 10 endpoints.
 */
export async function addEndpoint(
  { db, audit, actor, keyring, now }: EndpointPlace,
  { accountId, mode, url, types }: NewEndpoint,
): Promise<{ row: EventEndpointRow; secret: string }> {
  const audience = accountId ?? operators;
  const id = `ep_${randomBytes(9).toString("base64url")}`;
  const secret = newSecret();
  const row: EventEndpointRow = {
    id,
    audience,
    mode,
    url: url.href,
    types: JSON.stringify(types.length > 0 ? types : eventTypeNames),
    secret: sealSecret(keyring, secretsOf({ id, audience }), secret, now),
    former_secret: null,
    former_ends_at: null,
    created_at: now,
    next_at: 0,
    lease_owner: null,
    leased_until: 0,
    off_since: null,
    made_by: actor,
  };
  return inTransaction(db, async (trx) => {
    await beginChange(trx, actor, now);
    const others = (await listEndpoints(trx, audience)).filter((other) => other.mode === mode);
    const same = others.find((other) => other.url === row.url);
    if (same) throw new EndpointError("endpoint_exists", `The endpoint ${same.id} has this URL already.`);
    if (others.length >= mostEndpoints)
      throw new EndpointError(
        "too_many_endpoints",
        `${accountId === null ? "Operators have" : "The account has"} ${mostEndpoints} endpoints already. Remove one first.`,
      );
    await trx.insertInto("event_endpoint").values(row).execute();
    await audit(trx, endpointTrail.endpointAdded(actor, { ...endpointFacts(row), types: types.join(" ") }));
    return { row, secret };
  });
}

/** Lists endpoints, oldest first: those of one audience, or all. */
export async function listEndpoints(db: Db, audience?: string): Promise<EventEndpointRow[]> {
  const all = db.selectFrom("event_endpoint").selectAll().orderBy("created_at").orderBy("id");
  return (audience === undefined ? all : all.where("audience", "=", audience)).execute();
}

/**
 * Returns the endpoint with this id. Throws an `EndpointError` if no endpoint has the id, or if that endpoint is not
 * the owner's.
 */
export async function findEndpoint(db: Db, id: string, owner?: EndpointOwner): Promise<EventEndpointRow> {
  const found = db.selectFrom("event_endpoint").selectAll().where("id", "=", id);
  const own = owner ? found.where("audience", "=", owner.accountId).where("mode", "=", owner.mode) : found;
  // Every id has this form. A text in another form may be a person's number, which must not reach a query or the
  // store's log.
  const row = /^ep_[\w-]{12}$/.test(id) ? await own.executeTakeFirst() : undefined;
  if (!row)
    throw new EndpointError(
      "endpoint_not_found",
      "No endpoint has this id.",
      mend("See them", "events.endpoints.list"),
    );
  return row;
}

/** Removes an endpoint with all of its deliveries. Throws an `EndpointError` for an unknown id. */
export async function removeEndpoint(
  { db, audit, actor, now }: Audited & Pick<EndpointPlace, "now">,
  { id, owner }: { id: string; owner?: EndpointOwner },
): Promise<EventEndpointRow> {
  return inTransaction(db, async (trx) => {
    // Without this lock an event could be queued for the endpoint meanwhile, and that event's transaction would fail.
    await beginChange(trx, actor, now);
    const row = await findEndpoint(trx, id, owner);
    await trx.deleteFrom("event_endpoint").where("id", "=", id).execute();
    await audit(trx, endpointTrail.endpointRemoved(actor, endpointFacts(row)));
    return row;
  });
}

/**
 * Switches off an endpoint that answered 410 Gone: its queued deliveries die, and no new ones are queued. False if the
 * endpoint was removed meanwhile.
 */
export async function switchOff({ db, audit, actor }: Audited, row: EventEndpointRow, now: number): Promise<boolean> {
  return inTransaction(db, async (trx) => {
    await lockCounter(trx, "event");
    const off = trx.updateTable("event_endpoint").set({ off_since: now }).where("id", "=", row.id);
    if ((await off.executeTakeFirst()).numUpdatedRows === 0n) return false;
    await trx
      .updateTable("event_delivery")
      .set({ state: "dead" })
      .where("endpoint_id", "=", row.id)
      .where("state", "=", "waiting")
      .execute();
    await audit(trx, endpointTrail.endpointOff(actor, endpointFacts(row)));
    return true;
  });
}

/**
 * Gives an endpoint a new secret and returns that secret. For `overlap` milliseconds the old secret signs deliveries as
 * well. Throws an `EndpointError` for an unknown id.
 */
export async function rollSecret(
  { db, audit, actor, keyring, now }: EndpointPlace,
  { id, owner, overlap }: { id: string; owner?: EndpointOwner; overlap: number },
): Promise<{ row: EventEndpointRow; secret: string; formerEndsAt: number }> {
  const secret = newSecret();
  return inTransaction(db, async (trx) => {
    await beginChange(trx, actor, now);
    const row = await findEndpoint(trx, id, owner);
    const formerEndsAt = now + overlap;
    await trx
      .updateTable("event_endpoint")
      .set({
        secret: sealSecret(keyring, secretsOf(row), secret, now),
        former_secret: overlap > 0 ? row.secret : null,
        former_ends_at: overlap > 0 ? formerEndsAt : null,
      })
      .where("id", "=", id)
      .execute();
    await audit(trx, endpointTrail.endpointRolled(actor, { ...endpointFacts(row), ends_at: formerEndsAt }));
    return { row, secret, formerEndsAt };
  });
}

/** The secrets that sign at `now`, the newest first. Throws if the ring cannot open one. */
export function signingSecrets(keyring: Keyring, row: EventEndpointRow, now: number): string[] {
  const isFormerValid = row.former_secret !== null && (row.former_ends_at ?? 0) > now;
  return [row.secret, ...(isFormerValid ? [row.former_secret!] : [])].map((sealed) =>
    openSecret(keyring, secretsOf(row), sealed),
  );
}
