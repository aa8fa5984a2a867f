import { always, birthDate, filled, type StandIn, type StandInAttempt } from "../stand-in.ts";
import bvn from "./samples/bvn.json" with { type: "json" };
import failures from "./samples/failures.json" with { type: "json" };
import nin from "./samples/nin.json" with { type: "json" };

const { notFound, noMoney, pending, badKey } = failures.samples;
const types = { "BVN-FULL-DETAILS": "bvn", "NIN-VERIFY": "nin" } as const;

const ours = ({ kind, number, reference }: StandInAttempt) => ({
  verificationType: kind === "bvn" ? "BVN-FULL-DETAILS" : "NIN-VERIFY",
  transactionReference: reference,
  searchParameter: number,
});
const failure = (sample: object) => (asked: StandInAttempt) => ({ status: 200, body: filled(sample, ours(asked)) });

/** Seamfix Verify. It refunds the price of an unknown number. */
export const seamfixStandIn: StandIn = {
  hasCredentials: ({ headers }) => Boolean(headers.userid && headers.apikey),
  asked({ method, path, body }) {
    const isRoute = method === "POST" && path === "/sfx-verify/v3/id-service/";
    const kind = isRoute ? types[body.verificationType as keyof typeof types] : undefined;
    return kind && { kind, number: String(body.searchParameter) };
  },
  referenceOf: (_, { body }) => String(body.transactionReference),
  found(person, asked, photo) {
    const { personal_info: own, residential_info: home } = person;
    if (asked.kind === "bvn")
      return filled(bvn.sample, {
        ...ours(asked),
        bvn: asked.number,
        nin: person.nin,
        email: own.email,
        gender: own.gender.toLowerCase(),
        dob: birthDate(person),
        phone: own.phone_number,
        alternate_phone: own.phone_number_2,
        nationality: own.nationality,
        watchlisted: person.watchlisted === "YES",
        avatar: photo,
        full_name: own.full_name,
        first_name: own.first_name,
        middle_name: own.middle_name,
        last_name: own.last_name,
        state_of_origin: own.state_of_origin,
        state_of_residence: home.state_of_residence,
        lga_of_origin: own.lga_of_origin,
        lga_of_residence: home.lga_of_residence,
        address_line_2: home.residential_address,
        marital_status: own.marital_status.toLowerCase(),
        enrollment_bank: person.enrolment_bank,
        enrollment_branch: person.enrolment_branch,
        account_level: person.level_of_account,
      });
    return filled(nin.sample, {
      ...ours(asked),
      firstName: own.first_name,
      middleName: own.middle_name,
      surname: own.last_name,
      dateOfBirth: birthDate(person),
      gender: own.gender.slice(0, 1),
      trustedNumber: own.phone_number,
      photo,
    });
  },
  failures: {
    not_found: failure(notFound),
    no_money: failure(noMoney),
    maintenance: failure(pending),
    too_many_requests: always(429, { description: "Too many requests" }),
    no_credentials: failure(badKey),
    no_route: always(404, { description: "No such service" }),
  },
  free: ["not_found", "no_money"],
};
