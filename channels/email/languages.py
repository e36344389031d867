"""How mail programs of many languages begin a quote, a forward or a signature."""

import re

# What stands in front of, between or behind the author and the date of a quoted mail.
WROTE = re.compile(
    r"\b(?:wrote|writes|schrieb|geschrieben|schreef|a écrit|ha scritto|scrisse|escribió|ha escrit|escreveu|skrev"
    r"|kirjoitti|napisała?|napisał\(a\)|pisze|napsala?|napsal\(a\)|napísala?|írta|a scris|je napisala?|je napisao"
    r"|написала?|написал\(а\)|пишет|пише|έγραψε|yazdı|viết|menulis|đã viết|rašė|rakstīja|kirjutas|skrifaði)(?!\w)"
    r"|写道|寫道|さん(?:は|が)?書き?ました|のメッセージ|님이 작성|님이 쓴|작성:|כתב|כתבה|كتب|เขียน(?:ว่า)?|ने लिखा",
    re.IGNORECASE,
)

_LABELS = {
    "from": "From|Von|De|Da|Van|Fra|Från|Od|Lähettäjä|Feladó|От|Від|Kimden|Gönderen|Από|发件人|寄件者|寄件人"
    "|差出人|送信者"
    "|보낸 사람|보낸사람|Expéditeur|Remitente|Mittente|Afzender|Expeditor|De la|Từ|Dari|מאת|من|จาก|Saatja|Nuo|No|Frá"
    "|Avsändare",
    "sent": "Sent|Date|Gesendet|Datum|Envoyé|Enviado|Enviado el|Fecha|Data|Inviato|Verzonden|Verzonden op|Sendt"
    "|Dato|Skickat"
    "|Wysłano|Odesláno|Odoslané|Dátum|Lähetetty|Päivämäärä|Päiväys|Elküldve|Küldve|Отправлено|Дата|Надіслано"
    "|Gönderildi"
    "|Tarih|Στάλθηκε|Ημερομηνία|发送时间|发送日期|日期|傳送時間|寄件日期|送信日時|日付|日時|보낸 날짜|날짜"
    "|Trimis|Dată|Poslano|Đã gửi"
    "|Ngày|Tanggal|Dikirim|נשלח|תאריך|تاريخ الإرسال|التاريخ|ส่ง|วันที่|Saadetud|Išsiųsta|Nosūtīts|Sent at",
    "to": "To|An|À|A|Para|Aan|Til|Till|Do|Komu|Vastaanottaja|Címzett|Кому|Kime|Alıcı|Προς|收件人|宛先|받는 사람"
    "|받는사람"
    "|Destinataire|Destinatario|Către|Pro|Tới|Đến|Kepada|אל|إلى|ถึง|Za|Kam|Per",
    "subject": "Subject|Betreff|Objet|Asunto|Assunto|Oggetto|Onderwerp|Emne|Ämne|Temat|Předmět|Predmet|Aihe"
    "|Tárgy|Тема|Konu"
    "|Θέμα|主题|主旨|件名|제목|Subiect|Chủ đề|Tiêu đề|Subjek|Perihal|נושא|الموضوع|เรื่อง|Teema|Tema|Zadeva|Efni",
    "copy": "Cc|Kopie|Kopi|Kopia|Copie|Copia|CC|Kopio|Копия|Másolat|抄送|副本|참조|Bilgi|Κοινοποίηση|Reply-To"
    "|Antwort an",
}
_HEADER = {
    kind: re.compile(rf"^[\s*_>|]*(?:{names})[\s*_]*[:：][\s*_]*", re.IGNORECASE) for kind, names in _LABELS.items()
}

ORIGINAL = re.compile(
    r"^[\s>]*[-_=]{2,}\s*(?:(?:mail|courriel) original|original (?:message|appointment|e?-?mail)"
    r"|ursprüngliche (?:nachricht|e-?mail)"
    r"|original ?nachricht"
    r"|originalnachricht|message d['’]origine|message original|mensaje original|mensagem original|messaggio originale"
    r"|oorspronkelijk bericht|original ?meddelelse|oprindelig meddelelse|opprinnelig melding|ursprungligt meddelande"
    r"|ursprungsmeddelande|alkuperäinen viesti|wiadomość oryginalna|oryginalna wiadomość|původní zpráva"
    r"|původní e-mail"
    r"|pôvodná správa|eredeti üzenet|исходное сообщение|оригинальное сообщение|пересылаемое сообщение|orijinal mesaj"
    r"|özgün ileti|αρχικό μήνυμα|原始邮件|原邮件|原始郵件|元のメッセージ|원본 메시지|원본 메일|mesajul original"
    r"|izvirno sporočilo"
    r"|reply (?:above|message))\s*[-_=]{2,}\s*$",
    re.IGNORECASE,
)
FORWARDED = re.compile(
    r"^[\s>]*(?:[-_=]{2,}\s*(?:forwarded (?:message|by)|weitergeleitete (?:nachricht|e-?mail)|message transféré"
    r"|mensaje reenviado"
    r"|mensagem encaminhada|messaggio inoltrato|doorgestuurd bericht|videresendt|vidaresänt|vidarebefordrat"
    r"|przekazana wiadomość"
    r"|přeposlaná zpráva|пересылаемое сообщение|пересланное сообщение|转发的邮件|轉寄郵件|転送|iletilen"
    r"|전달된 메시지).*"
    r"|(?:begin forwarded message|anfang der weitergeleiteten (?:nachricht|e-?mail)"
    r"|début du message (?:transféré|réexpédié)"
    r"|inizio messaggio inoltrato|inicio del mensaje reenviado|início da mensagem encaminhada"
    r"|begin doorgestuurd bericht"
    r"|vidarebefordrat brev|videresendt besked|välitetty viesti alkaa|начало переадресованного сообщения)\s*:?\s*)$",
    re.IGNORECASE,
)
MOBILE = re.compile(
    r"^\s*[\[(*_]*(?:sent (?:from|with|via|using) (?:my |the |a )?[\w'’ .:/<>()-]{2,70}|get (?:outlook"
    r"|bluemail) for .{2,60}"
    r"|sent via .{2,40}|(?:diese nachricht wurde )?(?:von|vom) (?:meinem?|unterwegs|mobil).{0,40}(?:gesendet"
    r"|geschickt|geschrieben)"
    r"|(?:von|vom) .{2,40} gesendet|gesendet (?:von|mit|über|aus) .{2,60}|outlook für .{2,30} (?:beziehen"
    r"|herunterladen)"
    r"|holen sie sich outlook .{2,30}|envoyé avec .{2,60}|أُ?رسلت من .{2,40}|נשלח מ.{2,40}"
    r"|envoyé (?:de(?:puis)?|à partir de) .{2,60}|(?:obtenez"
    r"|télécharger) outlook pour .{2,30}"
    r"|enviado (?:desde|do|de|a partir do) .{2,60}|obtener outlook para .{2,30}|obter o outlook para .{2,30}"
    r"|inviato (?:da|dal) .{2,60}|(?:ottieni|scarica) outlook per .{2,30}|verstuurd vanaf .{2,60}"
    r"|verzonden (?:vanaf|vanuit|met) .{2,60}"
    r"|outlook voor .{2,20} downloaden|download outlook voor .{2,30}|sendt fra .{2,60}|skickat från .{2,60}"
    r"|hämta outlook för .{2,30}"
    r"|hent outlook (?:til|for) .{2,30}|lähetetty .{2,60}|hanki outlook .{2,40}|wysłan[eoa] z .{2,60}"
    r"|pobierz outlooka? .{2,30}"
    r"|odesláno z[e]? .{2,60}|odoslané z .{2,60}|отправлено (?:с|из) .{2,60}|надіслано з .{2,60}|.{2,40}(?:den"
    r"|dan|ımdan|imden) gönderildi"
    r"|trimis (?:de pe|din) .{2,60}|elküldve .{2,60}|az .{2,30}-?(?:ról|ről|mról) küldve|στάλθηκε από .{2,60}"
    r"|.{2,30}から送信"
    r"|发自我的.{2,30}|從我的.{2,30}傳送|发送自.{2,30}|나의 .{2,30}에서 보냄|.{2,30}에서 보냄"
    r"|.{2,30}から送信(?:されました)?)[\])*_.]*\s*$",
    re.IGNORECASE,
)
_CONFIDENTIAL = re.compile(
    r"confidential|confidentiel|vertraulich|confidencial|riservat|confidenzial|vertrouwelijk|fortrolig"
    r"|konfidentiell|luottamuksell"
    r"|poufn|důvěrn|конфиденциальн|конфіденційн|gizli|bizalmas|机密|保密|機密|legally privileged|privileged|密",
    re.IGNORECASE,
)
_ADDRESSEE = re.compile(
    r"intended (?:solely|only|recipient|for)|not the intended|unauthori[sz]ed|delete (?:it|this)"
    r"|notify the sender|in error"
    r"|rechtlich geschützt|nicht der (?:richtige|vorgesehene|beabsichtigte)|irrtümlich|vernichten|unbefugt"
    r"|destinataire|par erreur"
    r"|destinatari|por error|por engano|per errore|bestemd voor|geadresseerde|onterecht|modtager|ved en fejl"
    r"|mottagare|avsedd"
    r"|av misstag|vastaanottaja|erehdyksessä|adresat|omyłkow|příjemc|omylem|получател|по ошибке|отримувач|alıcı"
    r"|címzett|收件人|誤って|误",
    re.IGNORECASE,
)
_DISCLAIMS = re.compile(
    r"^\s*(?:disclaimer|confidentiality notice|legal notice|haftungsausschluss|rechtlicher hinweis"
    r"|avis de confidentialité"
    r"|aviso legal|aviso de confidencialidad|avviso di riservatezza|vertrouwelijkheidsverklaring"
    r"|please consider the environment"
    r"|think before you print|bitte denken sie an die umwelt|pensez à l['’]environnement)\b",
    re.IGNORECASE,
)


_NOTES = re.compile(r"^[\s>]*-{3,}\s*\S.{0,300}:\s*-{3,}\s*$")
_LABEL = re.compile(r"(?:From|To|Date|Subject|Von|An|Datum|Betreff)\s?:")
RULED = re.compile(r"^.{0,100}-{3,}.{1,200}-{3,}\s*$")


def is_original(line: str) -> bool:
    """A line that says that an older mail follows."""
    return ORIGINAL.match(line) is not None or (_NOTES.match(line) is not None and WROTE.search(line) is not None)


def is_header_line(line: str) -> bool:
    """A whole header that a program ran into one line."""
    return (
        header_kind(line) == "from" and len(re.findall(r"(?:From|To|Date|Subject|Von|An|Datum|Betreff)\s?:", line)) >= 3
    )


def header_kind(line: str) -> str | None:
    """Which field of a quoted header the line begins with."""
    return next((kind for kind, found in _HEADER.items() if found.match(line)), None)


def disclaims(paragraph: str) -> bool:
    """Whether a paragraph is the small print that a company puts under every mail."""
    if _DISCLAIMS.match(paragraph):
        return True
    return len(paragraph) > 80 and bool(_CONFIDENTIAL.search(paragraph)) and bool(_ADDRESSEE.search(paragraph))
