"""Answers about 128 role definitions of Azure."""

from collections import Counter

from data import load

ROLES = [role["properties"] for role in load("records/azure-role-definitions-128.json")]


def actions(role):
    return [action for permission in role["permissions"] for action in permission["actions"]]


def custom_roles():
    return sum(role["type"] == "CustomRole" for role in ROLES)


def roles_with_support():
    return sum("Microsoft.Support/*" in actions(role) for role in ROLES)


def roles_that_may_do_everything():
    return {role["roleName"] for role in ROLES if "*" in actions(role)}


def roles_with_most_actions():
    return sorted(((r["roleName"], len(actions(r))) for r in ROLES), key=lambda row: -row[1])[:3]


def different_actions():
    return len({action for role in ROLES for action in actions(role)})


def updated_in_2018():
    return sum(role["updatedOn"].startswith("2018") for role in ROLES)


def created_on_a_day():
    return sum(role["createdOn"].startswith("2015-02-02") for role in ROLES)


def never_changed():
    return sum(role["createdOn"] == role["updatedOn"] for role in ROLES)


def with_an_author():
    return sum(role["createdBy"] is not None for role in ROLES)


def the_reader_role():
    return sum(role["roleName"] == "Reader" for role in ROLES)


def roles_per_year():
    return sorted(Counter(role["createdOn"][:4] for role in ROLES).items())
