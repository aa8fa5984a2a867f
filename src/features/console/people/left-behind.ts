import { draftName, listWaiting } from "../../../catalogue/revisions/draft.ts";
import { markedEndpoints } from "../../../storage/events/made-endpoints.ts";
import { requestLife } from "../../../storage/tables/ledger-tables.ts";
import type { Db } from "../../../storage/tables.ts";
import { personActor } from "./people-rows.ts";

/** What a leaving person made or saw, and their changes that wait for a second person. */
export interface LeftBehind {
  /** Active keys that the person created, and whose text they saw. */
  keys: { key_id: string; account: string; mode: string; label: string }[];
  /** Event endpoints whose secret the person saw. */
  secrets: { endpoint: string; host: string }[];
  /** Changes by this person that wait for a second person. */
  waits: { what: string; since: number }[];
}

export async function leftBehind(db: Db, person: { id: string }, now: number): Promise<LeftBehind> {
  const actor = personActor(person);
  const named = async (member: string, ...kinds: string[]) => {
    const entries = db.selectFrom("audit_entry").select("facts").where("kind", "in", kinds).where("actor", "=", actor);
    return [...new Set((await entries.execute()).flatMap(({ facts }) => idIn(facts, member)))];
  };
  const [made, shown, drafts, money] = await Promise.all([
    named("key", "key.created"),
    named("endpoint", "endpoint.added", "endpoint.rolled"),
    listWaiting(db),
    db
      .selectFrom("money_request")
      .select("at as since")
      .where("actor", "=", actor)
      .where("at", ">", now - requestLife)
      .execute(),
  ]);
  const keys =
    made.length === 0
      ? []
      : await db
          .selectFrom("api_key")
          .innerJoin("account", "account.id", "api_key.account_id")
          .select(["api_key.id as key_id", "account.email as account", "mode", "label"])
          .where("api_key.id", "in", made)
          .where("revoked_at", "is", null)
          .where((key) => key.or([key("expires_at", "is", null), key("expires_at", ">", now)]))
          .orderBy("api_key.created_at")
          .execute();
  const endpoints = (await markedEndpoints(db, now)).filter(({ id }) => shown.includes(id));
  return {
    keys,
    secrets: endpoints.map(({ id, host }) => ({ endpoint: id, host })),
    waits: [
      ...drafts
        .filter(({ author, state }) => author === actor && state === "held")
        .map((draft) => ({ what: `the change ${draftName(draft)} of the catalogue`, since: draft.created_at })),
      ...money.map(({ since }) => ({ what: "money for a client", since })),
    ],
  };
}

/** Returns a fact of an audit entry, or nothing if somebody tampered with the facts. */
function idIn(facts: string, member: string): string[] {
  try {
    const id = (JSON.parse(facts) as Record<string, unknown>)[member];
    return typeof id === "string" ? [id] : [];
  } catch {
    return [];
  }
}
