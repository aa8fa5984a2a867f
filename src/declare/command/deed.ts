import { hash } from "node:crypto";

/** A text of a person, several texts, or a flag. */
export type DeedText = string | true | readonly string[];

/** What a person does with a command. A passkey signs it. */
export interface Deed {
  /** Id of the command. */
  command: string;
  /** What the person gave, by member. What is secret or personal is a keyed hash. */
  input: Readonly<Record<string, DeedText>>;
  /** 128 random bits in base64url. */
  nonce: string;
  /** Milliseconds since 1970. */
  at: number;
}

/**
 * A deed and what the passkey of its person signed. The entries of the deed in the audit trail keep it. Bytes are in
 * base64url.
 */
export interface Confirmation extends Deed {
  /** Id of the passkey. */
  passkey: string;
  /** COSE. */
  public_key: string;
  authenticator_data: string;
  client_data: string;
  signature: string;
}

/** The challenge for the passkey: SHA-256 of command, members in the order of their names, nonce and time. */
export function challengeOf({ command, input, nonce, at }: Deed): Buffer {
  const members = Object.entries(input).sort(([one], [other]) => (one < other ? -1 : 1));
  return hash("sha256", JSON.stringify([command, members, nonce, at]), "buffer");
}

/** SHA-256 of a public key in base64url. The entry of its registration keeps it. */
export function passkeyDigest(publicKey: string): string {
  return hash("sha256", Buffer.from(publicKey, "base64url"), "base64url");
}
