import { type SqlBool, sql } from "kysely";
import type { CheckKind } from "../../declare/check-kind.ts";
import type { Db } from "../../storage/tables.ts";

/** The people in a period's live verifications of one kind. */
export interface PeopleCount {
  kind: CheckKind;
  /** The number of people is between these two numbers, because a person has a hash under each key of the ring. */
  atLeast: number;
  atMost: number;
  verifications: number;
}

/** Characters of a keyed hash after the version of its key. */
const hashLength = 22;

/** Counts the subjects of a period by their keyed hashes. Erased people have no hash, so they are not counted. */
export async function countPeople(db: Db, { from, to }: { from: number; to: number }): Promise<PeopleCount[]> {
  const version = sql<string>`substr(subject_hash, 1, length(subject_hash) - ${sql.lit(hashLength)})`;
  const rows = await db
    .selectFrom("verification")
    .select((row) => [
      "kind",
      row.fn.count<number>("subject_hash").distinct().as("people"),
      row.fn.countAll<number>().as("verifications"),
    ])
    .where("mode", "=", "live")
    .where("created_at", ">=", from)
    .where("created_at", "<", to)
    .where(sql<SqlBool>`length(subject_hash) > ${sql.lit(hashLength)}`)
    .groupBy(["kind", version])
    .execute();
  return [...Map.groupBy(rows, ({ kind }) => kind as CheckKind)].map(([kind, all]) => {
    const sum = (of: "people" | "verifications") => all.reduce((total, row) => total + row[of], 0);
    return {
      kind,
      atLeast: Math.max(...all.map(({ people }) => people)),
      atMost: sum("people"),
      verifications: sum("verifications"),
    };
  });
}
