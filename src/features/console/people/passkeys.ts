import type { AuthenticationResponseJSON, PublicKeyCredentialRequestOptionsJSON } from "@simplewebauthn/server";
import { AccessError } from "../../../access/access-error.ts";
import { randomBase62, sameHash, secretHash } from "../../../access/secrets.ts";
import type { WithClock } from "../../../storage/audited.ts";
import { insertIfNew } from "../../../storage/queries/upsert.ts";
import type { Db, PersonRow } from "../../../storage/tables.ts";

/** How long a passkey's answer may take, in milliseconds. */
const challengeLife = 5 * 60_000;

/** A passkey or its signature that the console refuses. */
export class PasskeyError extends AccessError {
  /** The owner of the passkey, if known. */
  readonly person: PersonRow | undefined;

  constructor(message: string, person?: PersonRow) {
    super(message);
    this.person = person;
  }
}

/** The origin that passkeys are bound to, such as `https://console.example`, and the store. */
export interface PasskeyPlace extends WithClock {
  db: Db;
  origin: string;
}

/** Loaded on first use, because it takes a quarter of a second. */
export const passkeyLibrary = () => import("@simplewebauthn/server");

export const othersPasskey = "This is the passkey of another person. Use your own.";

/** The challenge for a confirmation. `purpose` binds the answer to its use. */
export interface DeedChallenge {
  person: PersonRow;
  challenge: Buffer;
  purpose: string;
}

/**
 * The resources of sign-ins. The console stores a challenge only after the sign-in with it. By the keyed hash `sign` it
 * recognises its own challenges.
 */
export type SignInPlace = PasskeyPlace & { sign: (text: string) => string };

/** Returns the options for a sign-in with any passkey. */
export async function signInOptions({
  origin,
  now,
  sign,
}: SignInPlace): Promise<PublicKeyCredentialRequestOptionsJSON> {
  const made = `${now()}.${randomBase62(22)}`;
  return signingOptions(origin, Buffer.from(`${made}.${sign(made)}`));
}

/** Returns the options for a confirmation with one of the person's passkeys. */
export async function deedOptions(
  { db, origin, now }: PasskeyPlace,
  { person, challenge, purpose }: DeedChallenge,
): Promise<PublicKeyCredentialRequestOptionsJSON> {
  const options = await signingOptions(origin, challenge, await ownIds(db, person.id));
  await keepChallenge(db, options.challenge, purpose, now());
  return options;
}

async function signingOptions(origin: string, challenge: Buffer, allowCredentials?: { id: string }[]) {
  const { generateAuthenticationOptions } = await passkeyLibrary();
  return generateAuthenticationOptions({
    rpID: new URL(origin).hostname,
    userVerification: "required",
    challenge: new Uint8Array(challenge),
    ...(allowCredentials && { allowCredentials }),
  });
}

/** Verifies a sign-in, and returns the person. Throws a `PasskeyError`. */
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

/** Verifies a confirmation, and returns the passkey's public key. Throws a `PasskeyError`. */
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
  { db, origin, now }: PasskeyPlace,
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
  if (isInForeignFrame(response)) throw unsigned(person);
  const { verifyAuthenticationResponse } = await passkeyLibrary();
  const { verified, authenticationInfo } = await refusingPasskey(person, () =>
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
  // Two copies of an authenticator send the same count. The condition lets only the first update the row.
  const { numUpdatedRows } = await db
    .updateTable("passkey")
    .set({ counter: authenticationInfo.newCounter, used_at: now() })
    .where("id", "=", id)
    .where("counter", "=", counter)
    .executeTakeFirst();
  if (numUpdatedRows !== 1n) throw unsigned(person);
  return { person, publicKey: public_key };
}

/**
 * Whether a page of another origin showed the console in a frame, where the person may not have seen what was signed.
 */
export function isInForeignFrame({ response }: { response: { clientDataJSON: string } }): boolean {
  try {
    const { crossOrigin, topOrigin } = JSON.parse(Buffer.from(response.clientDataJSON, "base64url").toString());
    return crossOrigin === true || topOrigin !== undefined;
  } catch {
    // The text is not JSON. The library that verifies the response refuses it.
    return false;
  }
}

/** Returns the ids of a person's passkeys. */
export async function ownIds(db: Db, personId: string): Promise<{ id: string }[]> {
  return db.selectFrom("passkey").select("id").where("person_id", "=", personId).execute();
}

export function unsigned(person: PersonRow): PasskeyError {
  return new PasskeyError("The passkey did not sign what the console asked for. Try again.", person);
}

/** Turns errors of the library, such as another origin or a used challenge, into a `PasskeyError`. */
export async function refusingPasskey<Result>(person: PersonRow, verify: () => Promise<Result>): Promise<Result> {
  try {
    return await verify();
  } catch {
    throw unsigned(person);
  }
}

/** Stores a challenge. Resolves to false if it exists already. */
export function keepChallenge(db: Db, challenge: string, purpose: string, now: number): Promise<boolean> {
  return insertIfNew(db, "passkey_challenge", { challenge }, { purpose, expires_at: now + challengeLife });
}

/**
 * Deletes a challenge of this purpose that has not expired, and resolves to whether there was one. So each challenge
 * works once.
 */
export async function takeChallenge(db: Db, challenge: string, purpose: string, now: number): Promise<boolean> {
  const taken = await db
    .deleteFrom("passkey_challenge")
    .where("challenge", "=", challenge)
    .where("purpose", "=", purpose)
    .where("expires_at", ">", now)
    .returning("challenge")
    .executeTakeFirst();
  return taken !== undefined;
}
