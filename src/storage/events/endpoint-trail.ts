import { auditKind } from "../../declare/audit-kind.ts";

/** Audit kinds of event endpoints. */
export const endpointTrail = {
  endpointAdded: auditKind("endpoint.added", {
    endpoint: "reference",
    account: "reference",
    mode: "reference",
    host: "text",
    types: "text",
  }),
  endpointRolled: auditKind("endpoint.rolled", {
    endpoint: "reference",
    account: "reference",
    mode: "reference",
    host: "text",
    ends_at: "time",
  }),
  /** `key`: the revoked key that had added the endpoint. */
  endpointOff: auditKind("endpoint.off", {
    endpoint: "reference",
    account: "reference",
    mode: "reference",
    host: "text",
    key: "reference",
  }),
  endpointRemoved: auditKind("endpoint.removed", {
    endpoint: "reference",
    account: "reference",
    mode: "reference",
    host: "text",
  }),
  eventsResent: auditKind("events.resent", { endpoint: "reference", events: "number" }),
};
