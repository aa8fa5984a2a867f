import type { Kysely } from "kysely";
import type { Role } from "../../operation/command.ts";
import { type AuditEvent, type Audited, inTransaction, type WithClock } from "../../storage/audited.ts";
import type { PersonRow, Tables } from "../../storage/tables.ts";
import { AccessFault } from "../access-fault.ts";
import { randomBase62, secretHash } from "../secrets.ts";

/** How long the link of an invitation works, in milliseconds. */
const invitationLife = 15 * 60_000;

/** The person whom the first start invites. */
export const firstOfficer = "officer@localhost";

export interface Invitation {
  person: PersonRow;
  /** For the person alone. We store a hash. */
  secret: string;
  /** Milliseconds since 1970. */
  expiresAt: number;
}

/**
 * Invites a new person, or one who lost the passkey. An earlier invitation of the person ends. Without a role a new person is
 * a viewer, and another person keeps the role.
 */
export async function invitePerson(
  { db, audit, actor, now }: Audited & WithClock,
  { email, role }: { email: string; role?: Role | undefined },
): Promise<Invitation> {
  const secret = randomBase62(43);
  const expiresAt = now() + invitationLife;
  return inTransaction(db, async (trx) => {
    const fresh = { id: `per_${randomBase62(12)}`, email: email.toLowerCase(), name: "", invited_by: actor };
    await trx
      .insertInto("person")
      .values({ ...fresh, role: role ?? "viewer", created_at: now(), last_seen_at: null })
      .onConflict((it) => it.column("email").doNothing())
      .execute();
    if (role) await trx.updateTable("person").set({ role }).where("email", "=", fresh.email).execute();
    const person = await findPerson(trx, fresh.email);
    const invitation = { secret_hash: secretHash(secret), expires_at: expiresAt };
    await trx
      .insertInto("person_invitation")
      .values({ person_id: person.id, ...invitation })
      .onConflict((it) => it.column("person_id").doUpdateSet(invitation))
      .execute();
    await audit(trx, personEvent("person.invited", actor, person, { email: person.email, role: person.role }));
    return { person, secret, expiresAt };
  });
}

/** Invites the first officer if nobody can sign in yet. Undefined if somebody can. */
export async function inviteFirst(store: Audited & WithClock): Promise<Invitation | undefined> {
  const somebody = await store.db.selectFrom("passkey").select("id").limit(1).executeTakeFirst();
  return somebody ? undefined : invitePerson(store, { email: firstOfficer, role: "officer" });
}

/** The person who holds an invitation that still works. */
export async function invitedPerson(db: Kysely<Tables>, secret: string, now: number): Promise<PersonRow | undefined> {
  return db
    .selectFrom("person_invitation")
    .innerJoin("person", "person.id", "person_invitation.person_id")
    .selectAll("person")
    .where("secret_hash", "=", secretHash(secret))
    .where("expires_at", ">", now)
    .executeTakeFirst();
}

/** All people, oldest first, with whether each can sign in. */
export async function listPeople(db: Kysely<Tables>): Promise<(PersonRow & { isRegistered: boolean })[]> {
  const rows = await db.selectFrom("person").selectAll().orderBy("created_at").orderBy("id").execute();
  const holders = new Set(
    (await db.selectFrom("passkey").select("person_id").execute()).map(({ person_id }) => person_id),
  );
  return rows.map((row) => ({ ...row, isRegistered: holders.has(row.id) }));
}

/** The person with this id or e-mail. Throws an `AccessFault` if there is none. */
export async function findPerson(db: Kysely<Tables>, idOrEmail: string): Promise<PersonRow> {
  const row = await db
    .selectFrom("person")
    .selectAll()
    .where((it) => it.or([it("id", "=", idOrEmail), it("email", "=", idOrEmail.toLowerCase())]))
    .executeTakeFirst();
  if (!row) throw new AccessFault(`No person has the id or e-mail "${idOrEmail}".`);
  return row;
}

/** Changes a person. Absent members do not change. Throws an `AccessFault` for an e-mail that another person has. */
export async function changePerson(
  { db, audit, actor }: Audited,
  idOrEmail: string,
  change: { name?: string; email?: string; role?: Role },
): Promise<PersonRow> {
  return inTransaction(db, async (trx) => {
    const { id, ...before } = await findPerson(trx, idOrEmail);
    if (change.role && change.role !== before.role && actor === consoleActor({ id, ...before }))
      throw new AccessFault("You cannot change your own role. Ask another officer.");
    const email = change.email?.toLowerCase();
    if (email !== undefined && email !== before.email) {
      const other = await trx.selectFrom("person").select("id").where("email", "=", email).executeTakeFirst();
      if (other) throw new AccessFault(`Another person has the e-mail ${email}.`);
    }
    await trx
      .updateTable("person")
      .set({ ...change, ...(email !== undefined && { email }) })
      .where("id", "=", id)
      .execute();
    const person = await findPerson(trx, id);
    const changed = Object.keys(change).join(" ");
    await audit(trx, personEvent("person.changed", actor, person, { changed, role: person.role }));
    return person;
  });
}

/** Removes a person, and with the row the passkey, the invitation and all sessions. */
export async function removePerson({ db, audit, actor }: Audited, idOrEmail: string): Promise<PersonRow> {
  return inTransaction(db, async (trx) => {
    const person = await findPerson(trx, idOrEmail);
    if (actor === consoleActor(person)) throw new AccessFault("You cannot remove yourself. Ask another officer.");
    await trx.deleteFrom("person").where("id", "=", person.id).execute();
    await audit(trx, personEvent("person.removed", actor, person, { email: person.email }));
    return person;
  });
}

/** The name of a person in the audit trail and in histories. */
export function consoleActor({ id, email }: Pick<PersonRow, "id" | "email">): string {
  return `console:${/^[!-~]{1,64}$/.test(email) ? email : id}`;
}

export function personEvent(
  kind: string,
  actor: string,
  { id }: Pick<PersonRow, "id">,
  facts: AuditEvent["facts"] = {},
): AuditEvent {
  return { kind, actor, facts: { person: id, ...facts } };
}
