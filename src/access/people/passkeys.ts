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
import { secretHash } from "../secrets.ts";
import { invitedPerson, personActor, personEvent } from "./people-rows.ts";

/** How long a person may take to answer with the passkey, in milliseconds. */
const challengeLife = 5 * 60_000;

/** The passkey, or what it signed, is not what we asked for. */
export class PasskeyFault extends Error {
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

const badInvitation = "This invitation was used, has expired, or was replaced. Ask an officer for another one.";

/** What the browser of an invited person needs to make a passkey. */
export async function registrationOptions(
  { db, origin, now }: PasskeyPlace,
  invitation: string,
): Promise<{ options: PublicKeyCredentialCreationOptionsJSON; person: PersonRow }> {
  const person = await invitedPerson(db, invitation, now());
  if (!person) throw new PasskeyFault(badInvitation);
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
  if (!person) throw new PasskeyFault(badInvitation);
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
  if (!registrationInfo) throw new PasskeyFault("Your browser made no valid passkey. Try again.", person);
  const { id, publicKey, counter, transports = [] } = registrationInfo.credential;
  const public_key = Buffer.from(publicKey).toString("base64url");
  return inTransaction(db, async (trx) => {
    const used = await trx
      .deleteFrom("person_invitation")
      .where("secret_hash", "=", secretHash(invitation))
      .returning("person_id")
      .executeTakeFirst();
    if (!used) throw new PasskeyFault(badInvitation);
    await trx.deleteFrom("passkey").where("person_id", "=", person.id).execute();
    await trx.deleteFrom("console_session").where("person_id", "=", person.id).execute();
    await trx
      .insertInto("passkey")
      .values({
        ...{ id, person_id: person.id, counter, transports: JSON.stringify(transports), created_at: now() },
        public_key,
      })
      .execute();
    if (name !== "") await trx.updateTable("person").set({ name }).where("id", "=", person.id).execute();
    const facts = { role: person.role, passkey: passkeyDigest(public_key) };
    await audit(trx, personEvent("person.registered", personActor(person), person, facts));
    return { ...person, name: name || person.name };
  });
}

/**
 * The request to a browser to sign with a passkey. `purpose` binds the answer to its use. With `deed`, only that person's passkeys
 * count, and they sign this challenge.
 */
export async function assertionOptions(
  { db, origin, now }: PasskeyPlace,
  purpose: string,
  deed?: { person: PersonRow; challenge: Buffer },
): Promise<PublicKeyCredentialRequestOptionsJSON> {
  const { generateAuthenticationOptions } = await library();
  const passkeys = db.selectFrom("passkey").select("id");
  const own = deed && (await passkeys.where("person_id", "=", deed.person.id).execute());
  const options = await generateAuthenticationOptions({
    rpID: new URL(origin).hostname,
    userVerification: "required",
    ...(own && { allowCredentials: own.map(({ id }) => ({ id })) }),
    ...(deed && { challenge: new Uint8Array(deed.challenge) }),
  });
  await keepChallenge(db, options.challenge, purpose, now());
  return options;
}

/** Who signed a challenge of this purpose, and with which public key. With `deed`, it must be that person and challenge. Throws a `PasskeyFault`. */
export async function verifyAssertion(
  { db, origin, now }: PasskeyPlace,
  purpose: string,
  response: AuthenticationResponseJSON,
  deed?: { person: PersonRow; challenge: Buffer },
): Promise<{ person: PersonRow; publicKey: string }> {
  const wanted = deed?.challenge.toString("base64url");
  const passkey = await db
    .selectFrom("passkey")
    .innerJoin("person", "person.id", "passkey.person_id")
    .selectAll("person")
    .select(["passkey.id as credential", "public_key", "counter"])
    .where("passkey.id", "=", String(response.id))
    .executeTakeFirst();
  if (!passkey) throw new PasskeyFault("Nobody has registered this passkey here. Ask an officer for an invitation.");
  const { credential: id, public_key, counter, ...person } = passkey;
  if (deed && person.id !== deed.person.id)
    throw new PasskeyFault("This is the passkey of another person. Use your own.", person);
  const { verifyAuthenticationResponse } = await library();
  const { verified, authenticationInfo } = await refusing(person, () =>
    verifyAuthenticationResponse({
      response,
      expectedChallenge: async (signed) =>
        (wanted === undefined || signed === wanted) && (await takeChallenge(db, signed, purpose, now())),
      expectedOrigin: origin,
      expectedRPID: new URL(origin).hostname,
      credential: { id, publicKey: new Uint8Array(Buffer.from(public_key, "base64url")), counter },
      requireUserVerification: true,
    }),
  );
  if (!verified) throw new PasskeyFault("The passkey did not sign what the console asked for. Try again.", person);
  await db.updateTable("passkey").set({ counter: authenticationInfo.newCounter }).where("id", "=", id).execute();
  return { person, publicKey: public_key };
}

/** The library throws what it finds wrong, such as another origin or a used challenge. */
async function refusing<Result>(person: PersonRow, verify: () => Promise<Result>): Promise<Result> {
  try {
    return await verify();
  } catch {
    throw new PasskeyFault("The passkey did not sign what the console asked for. Try again.", person);
  }
}

async function keepChallenge(db: Kysely<Tables>, challenge: string, purpose: string, now: number): Promise<void> {
  await db.deleteFrom("passkey_challenge").where("expires_at", "<=", now).execute();
  await db
    .insertInto("passkey_challenge")
    .values({ challenge, purpose, expires_at: now + challengeLife })
    .execute();
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
