"""More than five hundred names that nobody should have: markup, handlers, ends of scripts, odd
signs, and words that programs know.
"""

RUN = (
    "alert(1)",
    "window.pwned=1",
    "fetch('http://127.0.0.1:9/x')",
    "document.title='pwned'",
    "console.log('pwned')",
)
TAGS = (
    "script",
    "svg/onload",
    "iframe",
    "object",
    "embed",
    "math",
    "style",
    "link",
    "base",
    "meta",
    "form",
    "video",
    "details",
    "marquee",
)
HANDLERS = (
    "onerror",
    "onload",
    "onclick",
    "onfocus",
    "onmouseover",
    "onanimationstart",
    "ontoggle",
    "onpointerenter",
    "onbeforeprint",
    "onhashchange",
)
ENDS = (
    "",
    '"',
    "'",
    "`",
    "-->",
    "</title>",
    "</style>",
    "</script>",
    "</textarea>",
    "</td>",
    "</svg>",
    "]]>",
    "</bdi>",
    "\\u003c/script>",
)
WORDS = (
    *(
        "__proto__",
        "constructor",
        "prototype",
        "toString",
        "hasOwnProperty",
        "valueOf",
        "__defineGetter__",
        "length",
        "name",
        "then",
    ),
    *(
        "null",
        "undefined",
        "NaN",
        "Infinity",
        "true",
        "false",
        "None",
        "0",
        "-0",
        "1e999",
        "y",
        "select",
        "CON",
        "NUL",
        "all cases",
    ),
    *(
        "../x",
        "..\\x",
        "~/x",
        "file:///etc/passwd",
        "C:\\x",
        "//example.org/x",
        "%2e%2e%2f",
        "#prior=0.5",
        "?x=1",
        "&amp;",
        "&lt;b&gt;",
    ),
    *(
        "=cmd()",
        "+1",
        "-1",
        "@sum",
        "=HYPERLINK(1)",
        "\tx",
        " ",
        "  lead",
        "trail  ",
        ";",
        "a;b",
        "a|b",
        "{}",
        "{{7*7}}",
        "${7*7}",
        "<%= 7*7 %>",
    ),
    *(
        "`${alert(1)}`",
        "#{7*7}",
        "{{constructor.constructor('alert(1)')()}}",
        "url(#x)",
        "expression(alert(1))",
        "@import 'x'",
        "}*{color:red}",
    ),
)
SIGNS = (
    *(
        "\u2028",
        "\u2029",
        "\u202e",
        "\u202d",
        "\u2066",
        "\u2069",
        "\u200f",
        "\u200b",
        "\ufeff",
        "\u0000",
        "\u0007",
        "\u001b[31m",
        "\u009b31m",
        "\u007f",
    ),
    *(
        "\r\n",
        "\n",
        "\u00a0",
        "\u3164",
        "\ufe0f",
        "\U000e0041",
        "\ud800",
        "\udfff",
        "𝒳",
        "👩‍👩‍👧",
        "é",
        "e\u0301",
        "\uff1cscript\uff1e",
        "‹script›",
        "\u0660",
    ),
)


def strings():
    """All of them, each once."""
    found = [
        f"{end}<{tag} x>{run}</{tag.split('/')[0]}>"
        for tag in TAGS
        for end, run in zip(ENDS, RUN * 3, strict=False)
    ][: 14 * 8]
    found += [f"{end}<script>{run}</script>" for end in ENDS for run in RUN]
    found += [
        f'{end}<img src=x {handler}="{run}">'
        for end in ENDS
        for handler, run in zip(HANDLERS, RUN * 2, strict=False)
    ]
    found += [
        f"{end} {handler}={run} autofocus tabindex=0 x="
        for end in ENDS[1:4]
        for handler in HANDLERS
        for run in RUN[:2]
    ]
    found += [
        f"<a href={quote}{scheme}:{run}{quote}>x</a>"
        for quote in ("", '"', "'")
        for scheme in ("javascript", "JaVaScRiPt", "data:text/html,")
        for run in RUN
    ]
    found += [f"<svg><animate {handler}={RUN[1]} attributeName=x dur=1s>" for handler in HANDLERS]
    found += [
        "<!--",
        "<!-- --!>",
        "<![CDATA[",
        "<?xml?>",
        "<!doctype x>",
        "<",
        ">",
        "&",
        "<script",
        "</script",
        "<script/src=//x>",
        "<plaintext>",
        "<xmp>",
    ]
    found += list(WORDS) + [sign + word for sign in SIGNS for word in ("x<b>", "")]
    found += [
        "x" * 10_000,
        "<b>" * 3000,
        "\u05d0" * 500,
        "\u202e" * 100 + "evil",
        "💥" * 1000,
        "a" * 41,
        "a" * 81,
    ]
    return list(dict.fromkeys(text for text in found if text))
