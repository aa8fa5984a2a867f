{
  "hmac": [
    {
      "version": 1,
      "key": "CzLw7hYqafADyUta4e0nBqwFz9JObE83vNx6ucyzNac="
    }
  ],
  "records": [
    {
      "id": "r1",
      "key": "1EE9eqBeL2mF9SIyUQW3FkoOcukiX2hoiGZiV9bXWnM="
    }
  ],
  "audit": "IERfEB0LwlFwPEsNLfu8JofefhASzYfYbQ982f/xUoo="
}
