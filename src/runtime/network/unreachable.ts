const noTls = "{origin} does not speak TLS. Perhaps its address begins with http://.";
const noAuthority =
  "{origin} has a TLS certificate of an authority that this machine does not know. " +
  "To trust it, name the authority's file in NODE_EXTRA_CA_CERTS.";

/** Sentences that say why a connection failed, by the code of the error. */
const sentences: Readonly<Record<string, string>> = {
  ECONNREFUSED: "No service listens at {origin}.",
  ENOTFOUND: "The host of {origin} does not exist.",
  EAI_AGAIN: "The name server does not find the host of {origin} at the moment.",
  EHOSTUNREACH: "No network leads from this machine to {origin}.",
  ENETUNREACH: "No network leads from this machine to {origin}.",
  ETIMEDOUT: "{origin} accepts no connection.",
  ECONNRESET: "{origin} closed the connection without a response.",
  EPROTO: noTls,
  ERR_SSL_WRONG_VERSION_NUMBER: noTls,
  ERR_SSL_PACKET_LENGTH_TOO_LONG: noTls,
  CERT_HAS_EXPIRED: "The TLS certificate of {origin} has expired.",
  CERT_NOT_YET_VALID: "The TLS certificate of {origin} is not valid yet. Check the clock of this machine.",
  ERR_TLS_CERT_ALTNAME_INVALID: "The TLS certificate of {origin} is for another host.",
  DEPTH_ZERO_SELF_SIGNED_CERT: noAuthority,
  SELF_SIGNED_CERT_IN_CHAIN: noAuthority,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: noAuthority,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: noAuthority,
};

/** Says why no connection to an address works, by the code of `HttpClient`. */
export function unreachableSentence(origin: string, code: string): string {
  // Codes of responses that Node's HTTP parser refuses.
  const sentence = code.startsWith("HPE_") ? "{origin} does not speak HTTP." : sentences[code];
  return sentence?.replace("{origin}", origin) ?? `Duba cannot reach ${origin} (${code}).`;
}
