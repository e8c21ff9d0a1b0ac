"""Secrets of all kinds, put together from parts so that no scanner takes them for live ones."""

A36 = "abcDEF0123456789abcDEF0123456789abcd"
KEYS = {
    "AWS key": "AKIA" + "IOSFODNN7EXAMPLE",
    "GitHub token": "ghp_" + A36,
    "GitHub token fine": "github_pat_" + "11ABCDEFG0abcdefghij_" + A36 + A36,
    "GitLab token": "glpat-" + "abcDEF0123456789abcd",
    "Slack token": "xoxb-" + "123456789012-abcdefABCDEF",
    "Slack webhook": "https://hooks.slack.com/services/" + "T00000000/B00000000/abcdefABCDEF0123456789ab",
    "Stripe key": "sk_live_" + "abcDEF0123456789abcDEF01",
    "Google key": "AIza" + "SyA-abcdefghijklmnopqrstuvwxyz01234",
    "Anthropic key": "sk-ant-" + "api03-abcDEF0123456789_-abcDEF",
    "OpenAI key": "sk-proj-" + "abcDEF0123456789abcDEF0123456789",
    "OpenAI key old": "sk-" + "abcDEF0123456789abcDEF0123456789abcDEF0123456789",
    "npm token": "npm_" + A36,
    "PyPI token": "pypi-" + "AgEIcHlwaS5vcmcC" + A36 * 4,
    "Hugging Face token": "hf_" + "abcdefghijABCDEFGHIJabcdefghijABCD",
    "JWT": "eyJhbGciOiJIUzI1NiJ9." + "eyJzdWIiOiIxMjM0In0." + "abcDEF-_0123456789",
    "private key": "-----BEGIN RSA PRIVATE KEY-----\nMIIBOgIBAAJB\nAKj34GkxFhD9\n-----END RSA PRIVATE KEY-----",
    "private key torn": "-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXk",
    "private key torn, another": (
        "-----BEGIN EC PRIVATE KEY-----\nb3BlbnNz\n-----BEGIN EC PRIVATE KEY-----\nb3Blb\n-----END EC PRIVATE KEY-----"
    ),
    "private key PuTTY": (
        "PuTTY-User-Key-File-3: ssh-ed25519\nEncryption: none\nComment: k\nPublic-Lines: 2\nAAAAC3NzaC1lZDI1NTE5\nx1=\n"
        "Private-Lines: 1\nAAAAIEx5bWFuU2VjcmV0S2V5\nPrivate-MAC: 8f14e45fceea467f8f14e45fceea467f"
    ),
    "private key PuTTY old": (
        "PuTTY-User-Key-File-2: ssh-rsa\r\nEncryption: aes256-cbc\r\nComment: k\r\nPublic-Lines: 1\r\nAAAAB3Nz\r\n"
        "Private-Lines: 2\r\nAAAAIEx5bWFuU2VjcmV0\r\nZZZZ\r\nPrivate-MAC: 8f14e45fceea467f8f14e45fceea467f8f14e45f"
    ),
    "private key PuTTY, in JSON": (
        "PuTTY-User-Key-File-2: ssh-rsa\\r\\nEncryption: none\\r\\nPrivate-Lines: 1\\r\\nAAAAIEx5bWFuU2VjcmV0\\r\\n"
        "Private-MAC: 8f14e45fceea467f8f14e45fceea467f8f14e45f"
    ),
    "private key torn, PuTTY": "Private-Lines: 14\nAAAAIEx5bWFuU2VjcmV0S2V5\nb3BlbnNzaC1rZXk",
    "private key pgp": "-----BEGIN PGP PRIVATE KEY BLOCK-----\n\nlQOYBF\n-----END PGP PRIVATE KEY BLOCK-----",
}
_MARKED = (
    *("password=«hunter2»", "password=«correcthorse»", 'password: "«hunter2»"'),
    *("db:\n  password:\n    «hunter22x»\n  user: bob", '{\n "token":\n   "«aB3dE5gH7k»",\n "user": "bob"}'),
    *("DB_PASSWORD='«s3cr3t!x»'", '{"api_key": "«abcd1234efgh»"}', '{\\"password\\": \\"«hunter2x»\\"}'),
    *("aws_secret_access_key = «wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY»", "postgres://bob:«hunter2»@db.example/x"),
    *("redis://:«p4ssw0rd»@localhost:6379", "Authorization: Bearer «abcdef0123456789abcd»"),
    *("mysql --password «hunter2x» -u bob", "The password is «hunter2».", "client_secret: «8f14e45fceea467f»"),
    *("AWS Secret Access Key: «wJalrXUtnFEMI/K7MDENG/bPxRfiCYq8Zt1aB»", "API key: «8f3kd93jfk20dkf93kdm2»"),
    *("the api key «8f3kd93jfk20dkf93kdm2» of ops", "**Password**: «Tr0ub4dor33»", "**Password:** «Tr0ub4dor33»"),
    *("| password | «Tr0ub4dor33» |", "password: `«Tr0ub4dor33»`", "password (staging): «Tr0ub4dor33»"),
    *("password for staging is «Tr0ub4dor33»", "the password is `«Tr0ub4dor33»` and the user is bob"),
    *("set the password to «Tr0ub4dor33», please", "DB_PW=«Tr0ub4dor33»", "<password>«Tr0ub4dor33»</password>"),
    *("  password: «hunter2»  # staging", "log in with password: «hunter2» as bob", "smtp:\n  pass: «hunter2»\n"),
    *("- db_pass: «hunter2»", "user: bob, pass: «hunter2»", "DB_PASS: «hunter2»", "password: «p@ssword»"),
    *("password: «84720193»", "postgres://app:«S3cr/etP@ss»@db:5432/x", "curl -s -u admin:«Tr0ub4dor3xx» https://h"),
    *("mysql -uroot -p«Tr0ub4dor33» db", "sshpass -p «Tr0ub4dor33» ssh h"),
    *("Cookie: «session=bi7iN2elKq44kdR3vuPrDEjV5h; a=b»", '"auths": {"h": {"auth": "«Ym9iOlRyMHViNGRvcjMzeHg=»"}}'),
    *("//registry.example/:_auth=«Ym9iOlRyMHViNGRvcjMzeHg=»", "secret_key_base: «8f14e45fceea467f8f14e45fceea467f»"),
    *("APP_KEY=«base64:8f3kd93jfk20dkf93kdm28f3kd93jfk20=»", "- name: DB_PASSWORD\n  value: «correcthorse»"),
    *('{"name": "API_TOKEN", "value": "«correcthorse»"}', "admin:«$apr1$Wjq8Zt1a$gGMLNl0ybuRbNtGyGEITSz»"),
    *("SSWS «00Wjq8Zt1abPxRfiCYq8Zt1aB»", "jdbc:oracle:thin:scott/«tiger»@//h:1521/x"),
    *("sqlplus -s scott/«tiger»@prod", "log in as bob with password «hunter2hunter»"),
    *("login with password «hunter2hunter», please", "db.example.org:5432:shop:bob:«Tr0ub4dor33»"),
    *("localhost:5432:shop:bob:«correct-horse»", "    client-key-data: «LS0tLS1CRUdJTiBSU0EgUFJJVkFURSBLRVkt»"),
    *("psk=«correcthorse»", 'psk="«correct horse»"', "redis-cli -h h -a «correcthorse» ping"),
    "Server=db;Database=shop;User Id=sa;Password=«Tr0ub4dor33»;Encrypt=True",
    *("Server=db;Uid=sa;Pwd=«correcthorse»;", "AccountName=a;AccountKey=«LS0tLS1CRUdJTiBSU0EgUFJJ==»;Suffix=core"),
    *("Endpoint=sb://x.example/;SharedAccessKey=«LS0tLS1CRUdJTiBSU0Eg=»", "bob:«Tr0ub4dor33»@tcp(db:3306)/shop"),
    *("mongodb+srv://bob:«Tr0ub4dor33»@h.example/x", "machine h login bob password «Tr0ub4dor33»"),
    *("das Passwort lautet «Tr0ub4dor33»", "the new password for staging, as of today: «Tr0ub4dor33»"),
    *("docker login -u bob -p «correcthorse» r.example", "ldapsearch -x -D cn=a -w «correcthorse»"),
    *("openssl rsa -in k -passin pass:«correcthorse»", "echo root:«correcthorse» | chpasswd"),
    *("CREATE USER bob IDENTIFIED BY '«correcthorse»'", "smbclient //h/s -U bob%«correcthorse»"),
    *("API_KEY_PROD=«LS0tLS1CRUdJTiBSU0Eg»", "MYSQL_PWD=«correcthorse»", "7z a -p«correcthorse» x.7z"),
    *(
        'user           = "bob"\npassword           = "«Summer2024!»"\n',
        "Key         Value\npassword    «Summer2024»\n",
    ),
    *(
        "DATABASE_PASSWORD:      «Summer2024!»",
        "SetEnv DB_PASSWORD\t\t\t\t«Summer2024»",
        '\tPassword:    "«Summer2024!»",',
    ),
    *("| user           | bob         |\n| password       | «Summer2024!» |", "'password'         => '«Summer2024!»'"),
    *(
        '{"Name": "/prod/db/password",\n  "Type": "SecureString",\n  "Value": "«Summer2024!»"}',
        '"SecretString": "«s3cret»"',
    ),
    *(
        '{"name":"db-password","tags":{"a":"b"},"n":1,"value":"«Summer2024!»"}',
        '{"name":"DB_PWD","value":"«Summer24»"}',
    ),
    *(
        '{"ParameterKey": "DBPassword", "ParameterValue": "«correcthorse»"}',
        '"adminPassword": {\n  "value": "«Summer24»"\n}',
    ),
    *(
        '{"db_password": {"sensitive": true, "type": "string", "value": "«hunter2x»"}}',
        '"primaryKey": "«Ym9iOlRyMHViNGRvcjMzeHg9Ym9iOlRyMHViNGRvcjMzeHg=»"',
    ),
    *('{"value": "«Summer2024!»",\n "kid": null,\n "name": "db-password"}', '{"value":"«Summer24»","name":"DB_PWD"}'),
    *(
        '{"name": "DB_PASSWORD", "type": "x", "value": "«hunter2»"}',
        "password:      «Summer2024»",
        "token:      «8f14e45fceea467f»",
    ),
    *("password=«$aB3!xK9q»", "password=«%aB3!xK9q»", "password: «*aB3!xK9q»", 'password: "«$7hunter!2»"'),
    *("echo '«Tr0ub4dor33»' | sudo -S apt update", "sudo -S ls <<< '«Tr0ub4dor33»'", "echo «hunter2» |sudo -S -k ls"),
    *("printf '%s\\n' «hunter2» | sudo -S ls", "echo -n '«hunter2»' | sudo -S ls", "echo «hunter2» | sudo -kS ls"),
    *("echo «hunter2» | sudo --stdin ls", "echo «hunter2» | sudo -n -S ls", "sudo --stdin ls <<< «hunter2»"),
    "echo «Tr0ub4dor33» | docker login h -u bob --password-stdin",
    *("curl -b '«session=bi7iN2elKq44kd»' https://h", 'curl --cookie "«sid=bi7iN2elKq44kd; a=b»" https://h'),
    *(f"bob:«$6$Wjq8Zt1a${'gGMLNl0y' * 10}abcdef»:18000:0", f"x «$2b$12${'gGMLNl0' * 7}abcd» of bob"),
    *("password=«$aB3&xK9q!»", "password=«$aB3[xK9q»", "CREATE ROLE app LOGIN PASSWORD '«hunter2»';"),
    *("psql -c \"ALTER USER app WITH ENCRYPTED PASSWORD '«correcthorse»'\"", "curl -ku bob:«correcthorse» https://h"),
    *("curl -fsSLu 'bob:«correcthorse»' https://h", "curl -sb '«session=bi7iN2elKq44kd»' https://h"),
    *(
        "curl https://h \\\n  -u bob:«hunter2x»",
        "curl 'https://h/x?a=1&b=2' -u bob:«hunter2x»",
        "mysql -u a \\\n -p«hunter2x»",
    ),
    *(
        "curl -H 'Content-Type: application/json; charset=utf-8' -u bob:«hunter2x» https://h",
        'ldapsearch -x -D cn=a "(&(a=b)(c=d))" -w «hunter2x»',
        '{"command": "curl -H \\"Accept: a; q=1\\" -u bob:«hunter2x» https://h"}',
    ),
    *(
        'env {\n  name  = "DB_PASSWORD"\n  value = "«Summer2024!»"\n}',
        '<add key="SmtpPassword" value="«Summer2024!»"/>',
    ),
    *("ParameterKey=DBPassword,ParameterValue=«Summer2024!»", '{"OutputKey": "DbPwd", "OutputValue": "«Summer2024!»"}'),
    *('{"name":"password2","value":"«Summer2024!»"}', '{"label": "password",\n "n": 1, "value": "«Summer2024!»"}'),
    *("htpasswd -b f bob «Tr0ub4dor33»", "HEROKU_API_KEY=«01234567-89ab-cdef-0123-456789abcdef»"),
)
NAMED = {one.translate({ord("«"): None, ord("»"): None}): one.partition("«")[2].partition("»")[0] for one in _MARKED}
"""A text -> the secret in it."""

HEX = "0123456789abcdef" * 4
MIXED = "abcDEF0123456789" * 6
MAKERS = {
    "Atlassian": "ATATT" + "3xFfGF0" + MIXED + "=" + "0A1B2C3D",
    "Azure client secret": "abc8Q" + "~" + MIXED[:34],
    "Azure signature": "sig=" + MIXED[:40] + "%3D",
    "Databricks": "dapi" + HEX[:32],
    "Discord bot": "M" + MIXED[:25] + "." + "GabcDE" + "." + MIXED[:27],
    "Discord webhook": "https://discord.com/api/webhooks/" + "123456789012345678/" + MIXED[:68],
    "Docker": "dckr_" + "pat_" + MIXED[:27],
    "Fly": "FlyV1 " + "fm2_" + MIXED[:80],
    "Grafana": "glsa_" + MIXED[:32] + "_" + HEX[:8],
    "Groq": "gsk_" + MIXED[:20] + "WGdyb3FY" + MIXED[:20],
    "Heroku": "HRKU-" + MIXED[:60],
    "Linear": "lin_" + "api_" + MIXED[:40],
    "Mailchimp": HEX[:32] + "-us12",
    "Mailgun": "key-" + HEX[:32],
    "New Relic": "NRAK-" + "ABCDEFGHIJKLMNOPQRSTUVWXYZ0",
    "Notion": "ntn_" + "123456789" + MIXED[:36],
    "Notion, old": "secret_" + MIXED[:43],
    "OpenRouter": "sk-or-" + "v1-" + HEX,
    "PlanetScale": "pscale_" + "tkn_" + MIXED[:43],
    "Postman": "PMAK-" + HEX[:24] + "-" + HEX[:34],
    "Pulumi": "pul-" + HEX[:40],
    "Replicate": "r8_" + MIXED[:37],
    "RubyGems": "rubygems_" + HEX[:48],
    "SendGrid": "SG." + MIXED[:22] + "." + MIXED[:43],
    "Sentry": "sntrys_" + "eyJ" + MIXED,
    "Shopify": "shpat_" + HEX[:32],
    "Square": "sq0" + "atp-" + MIXED[:22],
    "Supabase": "sbp_" + HEX[:40],
    "Telegram": "1234567890:" + "AA" + MIXED[:33],
    "Terraform": "abcDEF01234567.atlasv1" + "." + MIXED[:67],
    "Twilio": "SK" + HEX[:32],
    "Vault": "hvs." + MIXED,
    "age": "AGE-SECRET-" + "KEY-1" + "ABCDEFGHIJKLMNOPQRSTUVWXYZ012345" + "ABCDEFGHIJKLMNOPQRSTUVWXYZ",
    "xAI": "xai-" + MIXED[:80],
}
