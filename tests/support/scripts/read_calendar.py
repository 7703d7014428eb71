"""Prints the events of an iCalendar file on standard input as JSON, as Debian's python3-icalendar reads them."""
import json
import sys

from icalendar import Calendar

calendar = Calendar.from_ical(sys.stdin.buffer.read())

events = [
    {
        "uid": str(event["UID"]),
        "sequence": int(event["SEQUENCE"]),
        "starts": event["DTSTART"].dt.isoformat(),
        "ends": event["DTEND"].dt.isoformat(),
        "stamped": event["DTSTAMP"].dt.isoformat(),
        "title": str(event["SUMMARY"]),
        "description": str(event["DESCRIPTION"]),
        "contact": str(event.get("CONTACT", "")),
        "status": str(event["STATUS"]),
        "errors": [str(error) for error in event.errors],
    }
    for event in calendar.walk("VEVENT")
]
json.dump({"version": str(calendar["VERSION"]), "method": str(calendar["METHOD"]), "events": events}, sys.stdout)
