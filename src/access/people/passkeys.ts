import type {
  AuthenticationResponseJSON,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
  RegistrationResponseJSON,
} from "@simplewebauthn/server";
import type { Kysely } from "kysely";
import { passkeyDigest } from "../../operation/command/deed.ts";
import { type Audited, inTransaction, type WithClock } from "../../storage/audited.ts";
import type { PersonRow, Tables } from "../../storage/tables.ts";
import { randomBase62, sameHash, secretHash } from "../secrets.ts";
import { invitedPerson, personActor, personEvent } from "./people-rows.ts";

/** How long a person may take to answer with the passkey, in milliseconds. */
const challengeLife = 5 * 60_000;

/** The passkey, or what it signed, is not what we asked for. */
export class PasskeyError extends Error {
  /** Who the passkey belongs to, if we know it. */
  readonly person: PersonRow | undefined;

  constructor(message: string, person?: PersonRow) {
    super(message);
    this.person = person;
  }
}

/** Where passkeys are used: an origin such as `https://console.example`. */
export interface PasskeyPlace extends WithClock {
  db: Kysely<Tables>;
  origin: string;
}

/** The library takes a quarter of a second to load: the first sign-in waits for it. */
const library = () => import("@simplewebauthn/server");

/** EdDSA, ES256 and RS256. The library would also ask Node for an experimental one, and Node would warn. */
const supportedAlgorithmIDs = [-8, -7, -257];

const othersPasskey = "This is the passkey of another person. Use your own.";
const badInvitation = "This invitation was used, has expired, or was replaced. Ask an officer for another one.";

/** What the browser of an invited person needs to make a passkey. */
export async function registrationOptions(
  { db, origin, now }: PasskeyPlace,
  invitation: string,
): Promise<{ options: PublicKeyCredentialCreationOptionsJSON; person: PersonRow }> {
  const person = await invitedPerson(db, invitation, now());
  if (!person) throw new PasskeyError(badInvitation);
  const { generateRegistrationOptions } = await library();
  const options = await generateRegistrationOptions({
    rpName: "Duba",
    rpID: new URL(origin).hostname,
    userID: new TextEncoder().encode(person.id),
    userName: person.email,
    attestationType: "none",
    supportedAlgorithmIDs,
    authenticatorSelection: { residentKey: "required", userVerification: "required" },
  });
  await keepChallenge(db, options.challenge, `register ${person.id}`, now());
  return { options, person };
}

/** Uses up an invitation: its passkey replaces all earlier ones of the person, and their sessions end. */
export async function registerPasskey(
  { db, audit, origin, now }: PasskeyPlace & Pick<Audited, "audit">,
  { invitation, name, response }: { invitation: string; name: string; response: RegistrationResponseJSON },
): Promise<PersonRow> {
  const person = await invitedPerson(db, invitation, now());
  if (!person) throw new PasskeyError(badInvitation);
  const { verifyRegistrationResponse } = await library();
  const { registrationInfo } = await refusing(person, () =>
    verifyRegistrationResponse({
      response,
      supportedAlgorithmIDs,
      expectedChallenge: (challenge) => takeChallenge(db, challenge, `register ${person.id}`, now()),
      expectedOrigin: origin,
      expectedRPID: new URL(origin).hostname,
      requireUserVerification: true,
    }),
  );
  if (!registrationInfo) throw new PasskeyError("Your browser made no valid passkey. Try again.", person);
  const { id, publicKey, counter, transports = [] } = registrationInfo.credential;
  const public_key = Buffer.from(publicKey).toString("base64url");
  return inTransaction(db, async (trx) => {
    const used = await trx
      .deleteFrom("person_invitation")
      .where("secret_hash", "=", secretHash(invitation))
      .returning("person_id")
      .executeTakeFirst();
    if (!used) throw new PasskeyError(badInvitation);
    await trx.deleteFrom("passkey").where("person_id", "=", person.id).execute();
    await trx.deleteFrom("console_session").where("person_id", "=", person.id).execute();
    const made = await trx
      .insertInto("passkey")
      .values({
        ...{ id, person_id: person.id, counter, transports: JSON.stringify(transports), created_at: now() },
        public_key,
      })
      .onConflict((it) => it.column("id").doNothing())
      .returning("id")
      .executeTakeFirst();
    if (!made) throw new PasskeyError(othersPasskey, person);
    if (name !== "") await trx.updateTable("person").set({ name }).where("id", "=", person.id).execute();
    const facts = { role: person.role, passkey: passkeyDigest(public_key) };
    await audit(trx, personEvent("person.registered", personActor(person), person, facts));
    return { ...person, name: name || person.name };
  });
}

/** What a passkey signs to confirm a deed. `purpose` binds the answer to its use. */
export interface DeedChallenge {
  person: PersonRow;
  challenge: Buffer;
  purpose: string;
}

/** A store for strangers, who leave no row in it: `sign` is a keyed hash that recognises a challenge. */
export type SignInPlace = PasskeyPlace & { sign: (text: string) => string };

/** The request to a browser to sign in with any passkey. */
export async function signInOptions({
  origin,
  now,
  sign,
}: SignInPlace): Promise<PublicKeyCredentialRequestOptionsJSON> {
  const made = `${now()}.${randomBase62(22)}`;
  return signingOptions(origin, Buffer.from(`${made}.${sign(made)}`));
}

/** The request to a browser to confirm a deed with a passkey of its person. */
export async function deedOptions(
  { db, origin, now }: PasskeyPlace,
  { person, challenge, purpose }: DeedChallenge,
): Promise<PublicKeyCredentialRequestOptionsJSON> {
  const own = await db.selectFrom("passkey").select("id").where("person_id", "=", person.id).execute();
  const options = await signingOptions(origin, challenge, own);
  await keepChallenge(db, options.challenge, purpose, now());
  return options;
}

async function signingOptions(origin: string, challenge: Buffer, allowCredentials?: { id: string }[]) {
  const { generateAuthenticationOptions } = await library();
  return generateAuthenticationOptions({
    rpID: new URL(origin).hostname,
    userVerification: "required",
    challenge: new Uint8Array(challenge),
    ...(allowCredentials && { allowCredentials }),
  });
}

/** Who signed in. Throws a `PasskeyError`. */
export async function verifySignIn(place: SignInPlace, response: AuthenticationResponseJSON): Promise<PersonRow> {
  const { db, now, sign } = place;
  let signed = "";
  const { person } = await verifyAssertion(place, response, async (challenge) => {
    signed = challenge;
    const [, made = "", at, mac = ""] =
      /^((\d{13})\.[\dA-Za-z]{22})\.(.+)$/.exec(Buffer.from(challenge, "base64url").toString()) ?? [];
    const age = now() - Number(at);
    return age >= 0 && age < challengeLife && sameHash(secretHash(mac), secretHash(sign(made)));
  });
  if (!(await keepChallenge(db, signed, "signed in", now()))) throw unsigned(person);
  return person;
}

/** The public key of the passkey that confirmed a deed. Throws a `PasskeyError`. */
export async function verifyDeed(
  place: PasskeyPlace,
  { person, challenge, purpose }: DeedChallenge,
  response: AuthenticationResponseJSON,
): Promise<string> {
  const wanted = challenge.toString("base64url");
  const take = async (signed: string) =>
    signed === wanted && (await takeChallenge(place.db, signed, purpose, place.now()));
  return (await verifyAssertion(place, response, take, person)).publicKey;
}

async function verifyAssertion(
  { db, origin }: PasskeyPlace,
  response: AuthenticationResponseJSON,
  expectedChallenge: (challenge: string) => Promise<boolean>,
  owner?: PersonRow,
): Promise<{ person: PersonRow; publicKey: string }> {
  const passkey = await db
    .selectFrom("passkey")
    .innerJoin("person", "person.id", "passkey.person_id")
    .selectAll("person")
    .select(["passkey.id as credential", "public_key", "counter"])
    .where("passkey.id", "=", String(response.id))
    .executeTakeFirst();
  if (!passkey) throw new PasskeyError("Nobody has registered this passkey here. Ask an officer for an invitation.");
  const { credential: id, public_key, counter, ...person } = passkey;
  if (owner && person.id !== owner.id) throw new PasskeyError(othersPasskey, person);
  const { verifyAuthenticationResponse } = await library();
  const { verified, authenticationInfo } = await refusing(person, () =>
    verifyAuthenticationResponse({
      response,
      expectedChallenge,
      expectedOrigin: origin,
      expectedRPID: new URL(origin).hostname,
      credential: { id, publicKey: new Uint8Array(Buffer.from(public_key, "base64url")), counter },
      requireUserVerification: true,
    }),
  );
  if (!verified) throw unsigned(person);
  // A copy of the authenticator counts from the same number.
  const { numUpdatedRows } = await db
    .updateTable("passkey")
    .set({ counter: authenticationInfo.newCounter })
    .where("id", "=", id)
    .where("counter", "=", counter)
    .executeTakeFirst();
  if (numUpdatedRows !== 1n) throw unsigned(person);
  return { person, publicKey: public_key };
}

function unsigned(person: PersonRow): PasskeyError {
  return new PasskeyError("The passkey did not sign what the console asked for. Try again.", person);
}

/** The library throws what it finds wrong, such as another origin or a used challenge. */
async function refusing<Result>(person: PersonRow, verify: () => Promise<Result>): Promise<Result> {
  try {
    return await verify();
  } catch {
    throw unsigned(person);
  }
}

/** False if it is kept already. */
async function keepChallenge(db: Kysely<Tables>, challenge: string, purpose: string, now: number): Promise<boolean> {
  const kept = await db
    .insertInto("passkey_challenge")
    .values({ challenge, purpose, expires_at: now + challengeLife })
    .onConflict((it) => it.column("challenge").doNothing())
    .returning("challenge")
    .executeTakeFirst();
  return kept !== undefined;
}

/** Whether we asked this for this purpose. It answers once. */
async function takeChallenge(db: Kysely<Tables>, challenge: string, purpose: string, now: number): Promise<boolean> {
  const taken = await db
    .deleteFrom("passkey_challenge")
    .where("challenge", "=", challenge)
    .where("purpose", "=", purpose)
    .where("expires_at", ">", now)
    .returning("challenge")
    .executeTakeFirst();
  return taken !== undefined;
}
