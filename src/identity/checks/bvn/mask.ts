import type { IdentityAnswer } from "../../../upstreams/ports/identity-upstream.ts";

/**
 * The record as an account with masked answers is given it: verified, watchlisted or not, the names, the BVN's last four
 * digits, and no more. A masked record stays as it is.
 */
export function masked(record: IdentityAnswer): IdentityAnswer {
  const { first_name, middle_name, last_name, full_name } = record.personal_info;
  const { personal_info, residential_info, ...own } = emptied(record) as IdentityAnswer;
  return {
    ...own,
    bvn_number: `*******${record.bvn_number.slice(-4)}`,
    name_on_card: record.name_on_card,
    // Null would say that the person is not listed.
    watchlisted: record.watchlisted,
    verification_status: record.verification_status,
    service_type: record.service_type,
    personal_info: { ...personal_info, first_name, middle_name, last_name, full_name },
    residential_info,
  };
}

/** Members that may be null; every other one may be empty. */
const nullable = new Set(["formatted_registration_date", "phone_number_2"]);

function emptied(members: object): object {
  return Object.fromEntries(
    Object.entries(members).map(([name, value]) => [
      name,
      value !== null && typeof value === "object" ? emptied(value) : nullable.has(name) ? null : "",
    ]),
  );
}
