/** The facts of an account that commands of other parts need. */
export interface FoundAccount {
  id: string;
  name: string;
  email: string;
  /** Lines with "; " between them. */
  address: string | null;
  tax_number: string | null;
  terms: { prepaid?: true };
}

/** The functions of the accounts' part that commands need. */
export interface WithAccounts {
  accounts: {
    /** The account with this id or e-mail. Throws if there is none. */
    find(idOrEmail: string): Promise<FoundAccount>;
    /** The ids of all accounts. */
    ids(): Promise<string[]>;
    /** Returns a function that returns an account's e-mail, or its id for an unknown account. */
    emails(ids: readonly string[]): Promise<(id: string) => string>;
    /** Like `emails`, for the names of the accounts' businesses. */
    names(ids: readonly string[]): Promise<(id: string) => string>;
  };
}
