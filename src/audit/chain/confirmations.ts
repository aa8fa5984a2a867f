import { accessTrail } from "../../declare/access-trail.ts";
import { type Confirmation, challengeOf, passkeyDigest } from "../../declare/command/deed.ts";
import type { Db } from "../../storage/tables.ts";
import { entryColumns, factsIn, type StoredEntry } from "../read.ts";

interface Registration {
  person: string;
  passkey: string;
  at: number;
}

/** Checks the signatures of people's passkeys. */
export class Confirmations {
  readonly #registrations: readonly Registration[];
  /** Whether retention has removed entries, which may have been registrations of passkeys. */
  readonly #isCut: boolean;
  /** The kinds of entries that need a confirmation by a passkey if their actor is a person. */
  readonly #confirmed: ReadonlySet<string>;
  readonly #seen = new Set<string>();

  private constructor(registrations: readonly Registration[], isCut: boolean, confirmed: ReadonlySet<string>) {
    this.#registrations = registrations;
    this.#isCut = isCut;
    this.#confirmed = confirmed;
  }

  static async read(db: Db, isCut: boolean, confirmed: ReadonlySet<string>): Promise<Confirmations> {
    const rows = await db
      .selectFrom("audit_entry")
      .select(entryColumns)
      .where("kind", "in", [accessTrail.personRegistered.kind, accessTrail.passkeyAdded.kind])
      .orderBy("audit_entry.occurred_at")
      .execute();
    const registrations = rows.map(({ facts, occurred_at }) => {
      const { person, passkey } = factsIn(facts);
      return { person: String(person), passkey: String(passkey), at: Number(occurred_at) };
    });
    return new Confirmations(registrations, isCut, confirmed);
  }

  /** The problem with the confirmation of an entry, or the lack of a required confirmation. */
  async problemOf({ kind, actor, facts, occurred_at }: StoredEntry): Promise<string | undefined> {
    const [, person] = /^person:(.+)$/.exec(actor) ?? [];
    const confirmation = facts.includes('"confirmation"') ? factsIn(facts).confirmation : undefined;
    if (confirmation === undefined)
      return person !== undefined && this.#confirmed.has(kind) ? "has no confirmation by a passkey" : undefined;
    const signed = confirmation as Confirmation;
    if (!(await isSigned(signed))) return "has a confirmation that no passkey signed";
    if (!this.#isRegistered(person, passkeyDigest(signed.public_key), Number(occurred_at)))
      return "is confirmed with a passkey that its actor never registered";
    // One confirmed command leaves at most one entry of each kind.
    const place = `${signed.nonce} ${kind}`;
    if (this.#seen.has(place)) return "repeats the confirmation of another entry";
    this.#seen.add(place);
    return undefined;
  }

  #isRegistered(person: string | undefined, passkey: string, at: number): boolean {
    const own = this.#registrations.filter((each) => each.person === person);
    if (own.some((each) => each.passkey === passkey)) return true;
    return this.#isCut && person !== undefined && (own[0] === undefined || at < own[0].at);
  }
}

/** Whether the passkey of this public key signed this command. */
async function isSigned(confirmation: Confirmation): Promise<boolean> {
  const { verifyAuthenticationResponse } = await import("@simplewebauthn/server");
  const { passkey: id, public_key, authenticator_data, client_data, signature } = confirmation;
  try {
    const { origin } = JSON.parse(Buffer.from(client_data, "base64url").toString()) as { origin: string };
    const { verified } = await verifyAuthenticationResponse({
      response: {
        id,
        rawId: id,
        type: "public-key",
        clientExtensionResults: {},
        response: { clientDataJSON: client_data, authenticatorData: authenticator_data, signature },
      },
      expectedChallenge: challengeOf(confirmation).toString("base64url"),
      expectedOrigin: origin,
      expectedRPID: new URL(origin).hostname,
      // The service checked the growth of the counter when the passkey signed.
      credential: { id, publicKey: new Uint8Array(Buffer.from(public_key, "base64url")), counter: 0 },
      requireUserVerification: true,
    });
    return verified;
  } catch {
    return false;
  }
}
