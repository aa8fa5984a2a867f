import { always, birthDay, filled, type StandIn } from "../stand-in.ts";
import bvn from "./samples/found.json" with { type: "json" };
import nin from "./samples/nin.json" with { type: "json" };
import notFound from "./samples/not-found.json" with { type: "json" };

const paths = { "/api/v1/kyc/bvn/advance": "bvn", "/api/v1/kyc/nin": "nin" } as const;

/** Dojah. Of failures its documentation shows the body of an unknown BVN only. */
export const dojahStandIn: StandIn = {
  hasCredentials: ({ headers }) => Boolean(headers.appid && headers.authorization),
  asked({ method, path, query }) {
    const kind = method === "GET" ? paths[path as keyof typeof paths] : undefined;
    return kind && { kind, number: query.get(kind) ?? "" };
  },
  found(person, { kind, number }, photo) {
    const { personal_info: own, residential_info: home } = person;
    return filled((kind === "bvn" ? bvn : nin).sample, {
      bvn: number,
      first_name: own.first_name,
      middle_name: own.middle_name,
      last_name: own.last_name,
      gender: own.gender,
      date_of_birth: birthDay(person),
      phone_number: own.phone_number,
      phone_number1: own.phone_number,
      phone_number2: own.phone_number_2 ?? "",
      image: photo,
      photo,
      email: own.email,
      enrollment_bank: person.enrolment_bank,
      enrollment_branch: person.enrolment_branch,
      level_of_account: person.level_of_account,
      lga_of_origin: own.lga_of_origin,
      lga_of_residence: home.lga_of_residence,
      marital_status: own.marital_status,
      name_on_card: person.name_on_card,
      nationality: own.nationality,
      registration_date: person.formatted_registration_date ?? "",
      residential_address: home.residential_address,
      state_of_origin: own.state_of_origin,
      state_of_residence: home.state_of_residence,
      watch_listed: person.watchlisted ?? "NO",
    });
  },
  failures: {
    not_found: ({ kind }) => ({
      status: 400,
      body: kind === "bvn" ? notFound.sample : { error: "NIN not found" },
    }),
    no_money: always(402, { error: "Insufficient wallet balance" }),
    maintenance: always(503, { error: "Service unavailable" }),
    too_many_requests: always(429, { error: "Too many requests" }),
    no_credentials: always(401, { error: "Unauthorized" }),
    no_route: always(404, { error: "URL not recognized" }),
  },
};
