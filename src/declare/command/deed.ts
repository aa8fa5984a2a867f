import { hash } from "node:crypto";

/** One member of the input: text, several texts, or a flag. */
export type DeedText = string | true | readonly string[];

/** A request to run a command, which the person's passkey signs. */
export interface Deed {
  /** Id of the command. */
  command: string;
  /** The input, by member. Secret or personal members are keyed hashes. */
  input: Readonly<Record<string, DeedText>>;
  /** 128 random bits in base64url. */
  nonce: string;
  /** Milliseconds since 1970. */
  at: number;
}

/** A signed deed. The audit entries of the command store it. Bytes are base64url. */
export interface Confirmation extends Deed {
  /** Id of the passkey. */
  passkey: string;
  /** The public key in COSE form. */
  public_key: string;
  authenticator_data: string;
  client_data: string;
  signature: string;
}

/** The challenge for the passkey: SHA-256 of the command, the members in alphabetical order, the nonce and the time. */
export function challengeOf({ command, input, nonce, at }: Deed): Buffer {
  const members = Object.entries(input).sort(([one], [other]) => (one < other ? -1 : 1));
  return hash("sha256", JSON.stringify([command, members, nonce, at]), "buffer");
}

/** SHA-256 of a public key, in base64url. The audit entry of the passkey's registration stores it. */
export function passkeyDigest(publicKey: string): string {
  return hash("sha256", Buffer.from(publicKey, "base64url"), "base64url");
}
