import { standInSentence } from "./ports/stand-in.ts";

/** What only the operator can mend: until then every attempt would fail. The last: this is no rehearsal. */
export const lastingAlarms = ["no_money", "bad_credentials", "bad_settings", "answered_by_stand_in"] as const;

/**
 * `refused`, `bad_response`: the vendor refused the attempts about several people in a row, or its responses were not
 * plausible. `finds_nobody`: it found none of many people in a row. Its interface may have changed, or it takes our credentials
 * for a number that nobody has. We keep sending attempts, because such a response may concern one person only.
 */
export type VendorAlarm = (typeof lastingAlarms)[number] | "refused" | "bad_response" | "finds_nobody";

/** So many people in a row that a vendor does not find are an alarm. */
export const manyNotFound = 20;

/** What the log says of an alarm. */
export const alarmSentences: Readonly<Record<VendorAlarm, string>> = {
  no_money: "An identity vendor has no money left and serves no attempt until an operator tops it up",
  bad_credentials: "An identity vendor refused our credentials and serves no attempt until an operator acts",
  bad_settings: "An identity vendor refused our settings and serves no attempt until an operator acts",
  answered_by_stand_in: standInSentence,
  refused: "An identity vendor refuses all attempts. Check whether its interface or our settings changed",
  bad_response:
    "None of an identity vendor's responses is plausible. Check whether its interface or our settings changed",
  finds_nobody: `An identity vendor found none of ${manyNotFound} people in a row. Check its credentials, its product and our settings`,
};
