import type { Db, PersonRow } from "../storage/tables.ts";

/** All people, oldest first, with the number of their passkeys. */
export async function listPeople(db: Db): Promise<(PersonRow & { passkeys: number })[]> {
  const rows = await db.selectFrom("person").selectAll().orderBy("created_at").orderBy("id").execute();
  const held = await db.selectFrom("passkey").select("person_id").execute();
  return rows.map((row) => ({ ...row, passkeys: held.filter(({ person_id }) => person_id === row.id).length }));
}
