import type { PublicKeyCredentialCreationOptionsJSON, RegistrationResponseJSON } from "@simplewebauthn/server";
import { secretHash } from "../../../access/secrets.ts";
import { accessTrail } from "../../../declare/access-trail.ts";
import { passkeyDigest } from "../../../declare/command/deed.ts";
import { redactNumbers } from "../../../runtime/redact.ts";
import { type Audited, inTransaction } from "../../../storage/audited.ts";
import { insertIfNew } from "../../../storage/queries/upsert.ts";
import type { Db, PersonRow } from "../../../storage/tables.ts";
import {
  isInForeignFrame,
  keepChallenge,
  othersPasskey,
  ownIds,
  PasskeyError,
  type PasskeyPlace,
  passkeyLibrary,
  refusingPasskey,
  takeChallenge,
  unsigned,
} from "./passkeys.ts";
import { findPerson, invitedPerson, personActor } from "./people-rows.ts";

/**
 * EdDSA, ES256 and RS256. The library's default list includes an experimental algorithm, about which Node prints a
 * warning.
 */
const supportedAlgorithmIDs = [-8, -7, -257];

const badInvitation = "This invitation was used, has expired, or was replaced. Ask an officer for another one.";

/** Returns the options for an invited person's browser to create a passkey. */
export async function registrationOptions(
  { db, origin, now }: PasskeyPlace,
  invitation: string,
): Promise<{ options: PublicKeyCredentialCreationOptionsJSON; person: PersonRow }> {
  const person = await invitedPerson(db, invitation, now());
  if (!person) throw new PasskeyError(badInvitation);
  return { options: await makingOptions({ db, origin, now }, person, `register ${person.id}`), person };
}

/** Returns the options for a signed-in person's browser to create a further passkey, in another authenticator. */
export async function anotherPasskeyOptions(
  place: PasskeyPlace,
  person: PersonRow,
): Promise<PublicKeyCredentialCreationOptionsJSON> {
  return makingOptions(place, person, `add ${person.id}`, await ownIds(place.db, person.id));
}

async function makingOptions(
  { db, origin, now }: PasskeyPlace,
  { id, email }: PersonRow,
  purpose: string,
  excludeCredentials: { id: string }[] = [],
): Promise<PublicKeyCredentialCreationOptionsJSON> {
  const { generateRegistrationOptions } = await passkeyLibrary();
  const options = await generateRegistrationOptions({
    rpName: "Duba",
    rpID: new URL(origin).hostname,
    userID: new TextEncoder().encode(id),
    userName: email,
    attestationType: "none",
    supportedAlgorithmIDs,
    excludeCredentials,
    authenticatorSelection: { residentKey: "required", userVerification: "required" },
  });
  await keepChallenge(db, options.challenge, purpose, now());
  return options;
}

/** Verifies a new passkey, and returns its public half. Throws a `PasskeyError`. */
async function madePasskey(
  { db, origin, now }: PasskeyPlace,
  person: PersonRow,
  purpose: string,
  response: RegistrationResponseJSON,
) {
  if (isInForeignFrame(response)) throw unsigned(person);
  const { verifyRegistrationResponse } = await passkeyLibrary();
  const { registrationInfo } = await refusingPasskey(person, () =>
    verifyRegistrationResponse({
      response,
      supportedAlgorithmIDs,
      expectedChallenge: (challenge) => takeChallenge(db, challenge, purpose, now()),
      expectedOrigin: origin,
      expectedRPID: new URL(origin).hostname,
      requireUserVerification: true,
    }),
  );
  if (!registrationInfo) throw new PasskeyError("Your browser made no valid passkey. Try again.", person);
  const { id, publicKey, counter, transports = [] } = registrationInfo.credential;
  const public_key = Buffer.from(publicKey).toString("base64url");
  return { id, person_id: person.id, public_key, counter, transports: JSON.stringify(transports), created_at: now() };
}

async function keepPasskey(
  trx: Db,
  person: PersonRow,
  { id, ...made }: Awaited<ReturnType<typeof madePasskey>>,
  name: string,
): Promise<void> {
  const kept = await insertIfNew(trx, "passkey", { id }, { ...made, name: redactNumbers(name), used_at: null });
  if (!kept) throw new PasskeyError(othersPasskey, person);
}

/**
 * Uses an invitation: its passkey replaces all earlier ones of the person, and the person's sessions end. `browser`:
 * becomes the passkey's name.
 */
export async function registerPasskey(
  place: PasskeyPlace & Pick<Audited, "audit">,
  {
    invitation,
    name,
    browser,
    response,
  }: { invitation: string; name: string; browser: string; response: RegistrationResponseJSON },
): Promise<PersonRow> {
  const { db, audit, now } = place;
  const person = await invitedPerson(db, invitation, now());
  if (!person) throw new PasskeyError(badInvitation);
  const made = await madePasskey(place, person, `register ${person.id}`, response);
  return inTransaction(db, async (trx) => {
    const used = await trx
      .deleteFrom("person_invitation")
      .where("secret_hash", "=", secretHash(invitation))
      .returning("person_id")
      .executeTakeFirst();
    if (!used) throw new PasskeyError(badInvitation);
    await trx.deleteFrom("passkey").where("person_id", "=", person.id).execute();
    await trx.deleteFrom("console_session").where("person_id", "=", person.id).execute();
    await keepPasskey(trx, person, made, browser);
    if (name !== "") await trx.updateTable("person").set({ name }).where("id", "=", person.id).execute();
    const facts = { role: person.role, passkey: passkeyDigest(made.public_key) };
    await audit(trx, accessTrail.personRegistered(personActor(person), { person: person.id, ...facts }));
    return { ...person, name: name || person.name };
  });
}

/** Adds a passkey that was made with `anotherPasskeyOptions`. Throws a `PasskeyError`. */
export async function addPasskey(
  place: PasskeyPlace & Pick<Audited, "audit">,
  personId: string,
  { name, response }: { name: string; response: RegistrationResponseJSON },
): Promise<void> {
  const person = await findPerson(place.db, personId);
  const made = await madePasskey(place, person, `add ${person.id}`, response);
  await inTransaction(place.db, async (trx) => {
    await keepPasskey(trx, person, made, name);
    const facts = { name, passkey: passkeyDigest(made.public_key) };
    await place.audit(trx, accessTrail.passkeyAdded(personActor(person), { person: person.id, ...facts }));
  });
}
