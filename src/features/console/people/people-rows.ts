import { AccessError } from "../../../access/access-error.ts";
import { randomBase62, secretHash } from "../../../access/secrets.ts";
import type { Role } from "../../../declare/command.ts";
import { isIdOrEmail } from "../../../declare/fields.ts";
import { type Audited, inTransaction, type WithClock } from "../../../storage/audited.ts";
import { insertIfNew, upsert } from "../../../storage/queries/upsert.ts";
import type { Db, PersonRow } from "../../../storage/tables.ts";
import { invitationLife } from "./invitation-link.ts";
import { peopleTrail } from "./people-trail.ts";

/** The person whom the first start invites. */
export const firstOfficer = "officer@localhost";

export interface Invitation {
  person: PersonRow;
  /** The link to the invited person contains the secret. The store has only a hash. */
  secret: string;
  /** Milliseconds since 1970. */
  expiresAt: number;
}

/**
 * Invites a new person, or one who lost the passkey, and ends earlier invitations. Without `role`, a new person becomes
 * a viewer, and an existing one keeps the role. A removed person gets the old id again. Throws an `AccessError` for
 * another person's former e-mail, and if a person in the console invites an officer.
 */
export async function invitePerson(
  { db, audit, actor, now }: Audited & WithClock,
  { email: given, role }: { email: string; role?: Role | undefined },
): Promise<Invitation> {
  const secret = randomBase62(43);
  const expiresAt = now() + invitationLife;
  if (role === "officer") terminalOnly(actor, "A person becomes an officer");
  return inTransaction(db, async (trx) => {
    const fresh = { email: given.toLowerCase(), name: "", invited_by: actor };
    const id = await holdEmail(trx, fresh.email, `per_${randomBase62(12)}`, now());
    const first = { ...fresh, role: role ?? "viewer", created_at: now(), last_seen_at: null };
    await insertIfNew(trx, "person", { id }, first);
    const { role: before, email } = await findPerson(trx, id);
    if (email !== fresh.email) throw takenEmail(fresh.email);
    if (before === "officer") terminalOnly(actor, "An officer is invited again");
    if (role) await trx.updateTable("person").set({ role }).where("id", "=", id).execute();
    const person = await findPerson(trx, id);
    const invitation = { secret_hash: secretHash(secret), expires_at: expiresAt };
    await upsert(trx, "person_invitation", { person_id: person.id }, invitation);
    await audit(trx, peopleTrail.personInvited(actor, { person: person.id, email: person.email, role: person.role }));
    return { person, secret, expiresAt };
  });
}

/** Invites the first officer if nobody has a passkey. Undefined otherwise. */
export async function inviteFirst(store: Audited & WithClock): Promise<Invitation | undefined> {
  const somebody = await store.db.selectFrom("passkey").select("id").limit(1).executeTakeFirst();
  if (somebody) return undefined;
  // The first officer may have changed the e-mail since.
  const first = await store.db
    .selectFrom("person")
    .select("email")
    .where("id", "=", (await holderOf(store.db, firstOfficer)) ?? "")
    .executeTakeFirst();
  return invitePerson(store, { email: first?.email ?? firstOfficer, role: "officer" });
}

/** Returns the person with this invitation, if it is still valid. */
export async function invitedPerson(db: Db, secret: string, now: number): Promise<PersonRow | undefined> {
  return db
    .selectFrom("person_invitation")
    .innerJoin("person", "person.id", "person_invitation.person_id")
    .selectAll("person")
    .where("secret_hash", "=", secretHash(secret))
    .where("expires_at", ">", now)
    .executeTakeFirst();
}

/** Finds a person by id or e-mail. Throws an `AccessError` if there is none. */
export async function findPerson(db: Db, idOrEmail: string): Promise<PersonRow> {
  const row =
    isIdOrEmail(idOrEmail) &&
    (await db
      .selectFrom("person")
      .selectAll()
      .where((it) => it.or([it("id", "=", idOrEmail), it("email", "=", idOrEmail.toLowerCase())]))
      .executeTakeFirst());
  if (!row) throw new AccessError(`No person has the id or e-mail "${idOrEmail}".`);
  return row;
}

/**
 * Changes a person. Absent members stay. Throws an `AccessError` for an e-mail that another person has or had, and for
 * a role that the actor may not give.
 */
export async function changePerson(
  { db, audit, actor, now }: Audited & WithClock,
  idOrEmail: string,
  change: { name?: string; email?: string; role?: Role },
): Promise<PersonRow> {
  return inTransaction(db, async (trx) => {
    const { id, ...before } = await findPerson(trx, idOrEmail);
    if (change.role && change.role !== before.role && actor === personActor({ id }))
      throw new AccessError("You cannot change your own role. Ask another officer.");
    if (change.role === "officer" && before.role !== "officer") terminalOnly(actor, "A person becomes an officer");
    const email = change.email?.toLowerCase();
    const isNew = email !== undefined && email !== before.email;
    if (isNew && (await holdEmail(trx, email, id, now())) !== id) throw takenEmail(email);
    await trx
      .updateTable("person")
      .set({ ...change, ...(email !== undefined && { email }) })
      .where("id", "=", id)
      .execute();
    const person = await findPerson(trx, id);
    const facts = { changed: Object.keys(change).join(" "), role: person.role };
    const emails = isNew ? { former_email: before.email, email } : {};
    await audit(trx, peopleTrail.personChanged(actor, { person: person.id, ...facts, ...emails }));
    return person;
  });
}

/** Returns the id of the person who has or had this e-mail. Reserves a free e-mail for the person `id`. */
async function holdEmail(trx: Db, email: string, id: string, since: number): Promise<string> {
  await trx.deleteFrom("person_email_history").where("email", "=", email).where("person_id", "=", id).execute();
  await insertIfNew(trx, "person_email_history", { email }, { person_id: id, since });
  return (await holderOf(trx, email))!;
}

/** Returns the id of the person who has or had this e-mail. */
async function holderOf(db: Db, email: string): Promise<string | undefined> {
  const row = await db
    .selectFrom("person_email_history")
    .select("person_id")
    .where("email", "=", email)
    .executeTakeFirst();
  return row?.person_id;
}

/** Refuses an action in the console, because somebody with a stolen session could stay an officer for good. */
function terminalOnly(actor: string, what: string): void {
  if (actor.startsWith("person:")) throw new AccessError(`${what} at the terminal only.`);
}

function takenEmail(email: string): AccessError {
  return new AccessError(`${email} is or was the e-mail of another person. The audit trail knows that person by it.`);
}

/** Removes a person with all passkeys, invitations and sessions. */
export async function removePerson({ db, audit, actor }: Audited, idOrEmail: string): Promise<PersonRow> {
  return inTransaction(db, async (trx) => {
    const person = await findPerson(trx, idOrEmail);
    if (actor === personActor(person)) throw new AccessError("You cannot remove yourself. Ask another officer.");
    await trx.deleteFrom("person").where("id", "=", person.id).execute();
    await audit(trx, peopleTrail.personRemoved(actor, { person: person.id, email: person.email }));
    return person;
  });
}

/** Returns a person's name as an actor. The name contains the id, because an e-mail can change. */
export function personActor({ id }: Pick<PersonRow, "id">): string {
  return `person:${id}`;
}
