{
  "hmac": [
    {
      "version": 1,
      "key": "A20QKCAbc4fYQ2as4cFNrsXYxVej3v+FW56SrSk5Xxc="
    }
  ],
  "records": [
    {
      "id": "r1",
      "key": "HNc5C2fZk0d5utLnfUfZ7UpKRWocAYlL9gz+Hwi93xE="
    }
  ],
  "audit": "KlvHY53u7LPV09X3UMrdhDIYEjKUGwUDHJIwMg6PFw0="
}
