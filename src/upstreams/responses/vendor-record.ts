export type Members = Readonly<Partial<Record<string, unknown>>>;

/** The members of an object; none of anything else. */
export function membersIn(value: unknown): Members {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Members) : {};
}

/**
 * A record from members that all have the interface's names, whichever part of the record they belong to. For a vendor that
 * gives a record or a failure, and no status of its own.
 */
export function vendorRecord(members: Members): Members {
  return { verification_status: "VERIFIED", ...members, personal_info: members, residential_info: members };
}
