import type { TimeZone } from "../../runtime/time-zone.ts";
import { version } from "../../runtime/version.ts";
import type { Period } from "./read-trail.ts";

/** The first file for an auditor. Each sentence about the law names its source as docs/law.md does. */
export function evidenceReadme({ from, to }: Period, zone: TimeZone, isRehearsal: boolean): string {
  const rehearsal = isRehearsal
    ? "\n**This store is a rehearsal**: its live verifications are of people that stand-ins of vendors invented.\n"
    : "";
  return `# Evidence from Duba ${version}

From ${zone.isoSecondOf(from)} until ${zone.isoSecondOf(to)}; times in the tables are UTC.
${rehearsal}
This folder is material for a licensed auditor of data protection. It is **not a statement of compliance**: Duba holds no certificate, and whether a law is kept is
for the auditor and the controller to say. The tables hold no personal data of the people who were verified, and people of the console by their ids only; \`duba people list\` tells the controller who an
id is. \`sha256sum -c SHA256SUMS\` shows whether a file was changed since.

The law, as far as we read it:

- Controllers and processors of major importance file audit returns with the Commission each year: its General Application and Implementation Directive of 2025, in a law firm's letter (Banwo & Ighodalo,
  source 9 of docs/law.md).
- Where consent is the basis, the controller proves it: section 26 of the Nigeria Data Protection Act 2023, in a law site's copy (source 5 of docs/law.md). Duba keeps a handle of the consent, not the consent.
- Personal data leaves Nigeria only to a recipient that protects it well enough, or on a ground of section 43: sections 41 and 43 of the Act, in a law site's copies (source 10 of docs/law.md).

| file | what it has | where from |
| --- | --- | --- |
| processing.csv | what is processed, and why and on which basis, as the operator states it | Duba's design; \`--basis\` |
| recipients.csv | vendors that may get a number, with live attempts in the period; the country as the operator states it | \`DUBA_UPSTREAMS\`, the ledger; \`--basis\` |
| retention.csv | how long each rule keeps what it keeps; 0 days: until its own end | the settings of the command |
| swept.csv | what retention removed, by half of a year | the audit trail, \`retention.swept\` |
| people.csv | how many people live verifications were about, by half of a year and kind | keyed hashes on the ledger |
| requests-of-persons.csv | exports and erasures, with their receipts | the audit trail, \`subject.exported\` and \`subject.erased\` |
| access.csv | who had which role in the console, and which API keys there were, from when until when | the audit trail, \`duba keys list\` |
| measures.csv | measures that are on, and backups that were tried | the key ring, the serving process, the settings of the command, the audit trail |
| incidents.csv | alarms that were acknowledged, weakened protection, pauses, restores, and alarms open now | the audit trail, \`duba alarms list\` |

What to know:

- **People are counted by keyed hash**, one for each number. A person who was verified by BVN and by NIN is two. After a rotation of the hash keys a person has another hash: within a half of a year with
  such a rotation the number of people is between \`people_at_least\`, the most under one key, and \`people_at_most\`, the sum. Who was erased is not counted. Earlier counts of a period may therefore be higher.
- **The ledger and the trail go back 24 months.** What is older is in no table. \`duba audit verify\` shows whether anybody changed the trail, and \`duba audit reconcile\` whether the ledger agrees with it: run both.
- **Whoever may run \`duba\` on the machine is an officer**, and stands in no table: the machine's own accounts are the evidence for that. Entries made there are by \`terminal\`.
- **An alarm that nobody acknowledged and that is over** leaves nothing here; the monitoring of the machine has it. Duba notices no breach.
- **A backup that was only checked** (\`duba backup FILE --check\`) leaves no entry, and a restore into another store stands in that store.
- What each vendor gets about a person, and which country is unknown to us, is in docs/law.md; what is held in which form, in docs/what-we-hold.md.
`;
}
