import { type Expression, expressionBuilder, type SqlBool } from "kysely";
import { inTable, withFollowUps } from "../../storage/queries/follow-ups.ts";
import { piecesOf } from "../../storage/queries/pieces.ts";
import type { Db, Tables, VerificationRow } from "../../storage/tables.ts";
import { addAbandoned } from "../journal/journal-entry.ts";
import type { Leases } from "../leases.ts";
import { giveBack, spendingColumns } from "../spending/spending.ts";
import { notVerified, transitions } from "../transitions.ts";

/** Selects started rows: those of one owner, or those whose owner's lease has expired. */
type LeaseScope = { owner: string } | Pick<Leases, "isOwnerGone">;

/** Makes started rows `unknown`. A row that took a fee from a cap or a balance gives it back. */
export async function abandonAll(db: Db, scope: LeaseScope, now: () => number): Promise<number> {
  const spending = await db
    .selectFrom("verification")
    .select(["reference", "spends"])
    .where("state", "in", transitions.abandon.from)
    .where(notVerified)
    .where("spends", "is not", null)
    .where(ownedBy(scope))
    .execute();
  let abandoned = 0;
  for (const row of spending) if (await abandonOne(db, row, scope, now)) abandoned += 1;
  return db.transaction().execute(async (trx) => {
    const others = await abandonment(trx, scope).where("spends", "is", null).returning("reference").execute();
    const at = now();
    for (const references of piecesOf(others.map(({ reference }) => reference)))
      await addAbandoned(trx, inTable, at, references).execute();
    return abandoned + others.length;
  });
}

/** Makes one started row `unknown`. False for a row outside the scope. */
export async function abandonOne(
  db: Db,
  { reference, spends }: Pick<VerificationRow, "reference" | "spends">,
  scope: LeaseScope,
  now: () => number,
): Promise<boolean> {
  const change = abandonment(db, scope)
    .where("reference", "=", reference)
    .returning([...spendingColumns, "run", "started_at"]);
  const query = withFollowUps(db, change, (changed) => [
    ...(spends === null ? [] : [giveBack(db, changed, reference)]),
    addAbandoned(db, changed, now(), [reference]),
  ]);
  return (await db.executeQuery(query.compile())).rows.length > 0;
}

function abandonment(db: Db, scope: LeaseScope) {
  return db
    .updateTable("verification")
    .set({ state: "unknown" })
    .where("state", "in", transitions.abandon.from)
    .where(notVerified)
    .where(ownedBy(scope));
}

function ownedBy(scope: LeaseScope): Expression<SqlBool> {
  return "owner" in scope ? expressionBuilder<Tables, "verification">()("owner", "=", scope.owner) : scope.isOwnerGone;
}
