import type { PersonRecord } from "../declare/identity-record.ts";

/**
 * The record for an account with masked answers: the names, the service, whether the person is verified and
 * watchlisted, and the last four digits of the number in `member`.
 */
export function maskRecord(record: PersonRecord, member: "bvn_number" | "nin"): PersonRecord {
  const { first_name, middle_name, last_name, full_name } = record.personal_info;
  const { personal_info, residential_info, ...own } = emptied(record) as PersonRecord;
  return {
    ...own,
    name_on_card: record.name_on_card,
    // Null would say that the person is not listed.
    watchlisted: record.watchlisted,
    verification_status: record.verification_status,
    service_type: record.service_type,
    personal_info: { ...personal_info, first_name, middle_name, last_name, full_name },
    residential_info,
    [member]: `*******${record[member].slice(-4)}`,
  };
}

/** Members that are null in an emptied record. Every other one is an empty text. */
const nullable = new Set(["formatted_registration_date", "phone_number_2"]);

function emptied(members: object): object {
  return Object.fromEntries(
    Object.entries(members).map(([name, value]) => [
      name,
      value !== null && typeof value === "object" ? emptied(value) : nullable.has(name) ? null : "",
    ]),
  );
}
