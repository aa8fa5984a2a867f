import { generateKeyPairSync, hash, randomBytes, sign } from "node:crypto";

/** A passkey in software that signs every challenge, for tests without a browser. `id`: of the credential. */
export function softwarePasskey(origin: string, id = randomBytes(16).toString("base64url")) {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const { x = "", y = "" } = publicKey.export({ format: "jwk" });
  // CBOR: { 1: 2 (EC2), 3: -7 (ES256), -1: 1 (P-256), -2: x, -3: y }.
  const cose = joined("a5010203262001215820", Buffer.from(x, "base64url"), "225820", Buffer.from(y, "base64url"));
  let counter = 0;
  const clientData = (type: string, challenge: string, at = origin, more: object = {}) =>
    Buffer.from(JSON.stringify({ type, challenge, origin: at, ...more }));
  /** `flags`: 1 user present, 4 user verified, 64 credential included. */
  const authenticatorData = (flags: number) => {
    const number = Buffer.alloc(4);
    number.writeUInt32BE(counter);
    return joined(hash("sha256", new URL(origin).hostname, "buffer"), Buffer.of(flags), number);
  };
  const response = { id, rawId: id, type: "public-key", clientExtensionResults: {} };
  return {
    id,
    /** COSE in base64url. */
    publicKey: cose.toString("base64url"),
    /** Sets the signature counter. 0: the passkey does not count. */
    count: (next: number) => {
      counter = next;
    },
    /** Answers a registration challenge. */
    register(challenge: string) {
      const credential = Buffer.from(id, "base64url");
      const length = Buffer.of(0, credential.length);
      const data = joined(authenticatorData(0x45), Buffer.alloc(16), length, credential, cose);
      const head = joined("a3", text("fmt"), text("none"), text("attStmt"), "a0", text("authData"));
      return {
        ...response,
        response: {
          clientDataJSON: clientData("webauthn.create", challenge).toString("base64url"),
          attestationObject: joined(head, Buffer.of(0x58, data.length), data).toString("base64url"),
          transports: [],
        },
      };
    },
    /** Signs a challenge, to sign in or to confirm. `at`: the origin in the client data; `more`: further data. */
    sign(challenge: string, at = origin, more: object = {}) {
      const data = authenticatorData(0x05);
      const client = clientData("webauthn.get", challenge, at, more);
      const signed = sign("sha256", joined(data, hash("sha256", client, "buffer")), privateKey);
      return {
        ...response,
        response: {
          clientDataJSON: client.toString("base64url"),
          authenticatorData: data.toString("base64url"),
          signature: signed.toString("base64url"),
        },
      };
    },
  };
}

export type SoftwarePasskey = ReturnType<typeof softwarePasskey>;

function joined(...parts: (Buffer | string)[]): Buffer {
  return Buffer.concat(parts.map((part) => (typeof part === "string" ? Buffer.from(part, "hex") : part)));
}

/** CBOR of a text shorter than 24 bytes. */
function text(value: string): Buffer {
  return Buffer.concat([Buffer.of(0x60 + value.length), Buffer.from(value)]);
}
