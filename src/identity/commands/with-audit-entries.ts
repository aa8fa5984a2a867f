/** What commands need of the audit trail. */
export interface WithAuditEntries {
  /** The newest 100 entries that mention a verification, oldest first. `occurredAt`: milliseconds since 1970; `facts`: JSON. */
  auditEntries(reference: string): Promise<{ occurredAt: number; kind: string; actor: string; facts: string }[]>;
}
