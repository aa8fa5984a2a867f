const fixed = "Duba has one value for everybody.";

/** Settings that are gone, by name, each with what to do instead: completes "NAME is no setting any more: …". */
const goneSettings: Readonly<Record<string, string>> = {
  DUBA_ALARM_NETWORKS: "DUBA_EVENT_NETWORKS is for DUBA_ALARM_URL too.",
  DUBA_ANSWER_TIMEOUT: "a caller has three times DUBA_REQUEST_TIMEOUT to read a response.",
  DUBA_AUDIT_ANCHOR_LOG: "the log always has the newest hash of the audit trail, at most once a minute.",
  DUBA_BUSINESS_ADDRESS: "write it into DUBA_BUSINESS, after the name.",
  DUBA_BUSINESS_NAME: "it is DUBA_BUSINESS now.",
  DUBA_CATALOGUE_DIFFERENCE: "lists are not compared with a second source any more.",
  DUBA_CATALOGUE_HISTORY: fixed,
  DUBA_CATALOGUE_SOURCES: "DUBA_CATALOGUE_SOURCE takes a source for each list too.",
  DUBA_CATALOGUE_STALE_AFTER: fixed,
  DUBA_CONSENT_ATTESTED: "set DUBA_CONSENT=attested in place of on.",
  DUBA_EVENT_RETENTION: fixed,
  DUBA_GUARD_PRICE_FACTOR: "it is factor in DUBA_GUARD, such as DUBA_GUARD=factor=2.",
  DUBA_GUARD_PRICE_MEAN: "it is mean in DUBA_GUARD, such as DUBA_GUARD=mean=20%.",
  DUBA_GUARD_REMOVAL: "it is removal in DUBA_GUARD, such as DUBA_GUARD=removal=30%.",
  DUBA_LIMIT_BODY: "it is body in DUBA_LIMIT_SIZES, such as DUBA_LIMIT_SIZES=body=16KiB.",
  DUBA_LIMIT_FAILED_CREDENTIALS: fixed,
  DUBA_LIMIT_HEADERS: "it is headers in DUBA_LIMIT_SIZES, such as DUBA_LIMIT_SIZES=headers=16KiB.",
  DUBA_LIMIT_URL: "it is url in DUBA_LIMIT_SIZES, such as DUBA_LIMIT_SIZES=url=8KiB.",
  DUBA_PEER_NIN_AMOUNT: "DUBA_PEER_AMOUNT takes both, such as DUBA_PEER_AMOUNT=bvn=100,nin=150.",
  DUBA_ROUTE_ATTEMPTS_LEFT: fixed,
  DUBA_ROUTE_FAILURES: fixed,
  DUBA_ROUTE_NOT_FOUND_MAX: "write it into DUBA_ROUTE_AFTER_NOT_FOUND, such as next=100.",
  DUBA_ROUTE_P95: fixed,
  DUBA_START_TIMEOUT: fixed,
  DUBA_STOP_TIMEOUT: "a stop waits 5 seconds longer than DUBA_VERIFICATION_TIMEOUT.",
  DUBA_TAX_IS: "write it into DUBA_TAX, such as 7.5% added.",
  DUBA_TAX_PERCENT: "it is DUBA_TAX now, such as 7.5%.",
  DUBA_TOKEN_LIFETIME: fixed,
  DUBA_UPSTREAM_ALARM_PAUSE: fixed,
  DUBA_UPSTREAM_BREAKER_PAUSE: fixed,
  DUBA_UPSTREAM_KEEP_ALIVE: "each attempt at a vendor has a connection of its own.",
};

/** Prices of vendors had a setting each. */
export function goneSetting(name: string): string | undefined {
  const vendor = /^DUBA_([A-Z]+)_PRICE$/.exec(name)?.[1]?.toLowerCase();
  if (vendor !== undefined) return `write it into DUBA_UPSTREAM_PRICES, such as ${vendor}=50.`;
  return goneSettings[name];
}
