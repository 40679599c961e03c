//! Bill of materials in the JSON form of CycloneDX 1.5.

use serde_json::{Value, json};

use crate::content::Timestamp;
use crate::licences::EMBEDDED;
use crate::packages::{Key, Package, Packages};

/// Returns the bill of materials of a release.
pub(crate) fn text(packages: &Packages, timestamp: Timestamp) -> String {
    let program = packages.program();
    let mut components: Vec<_> = packages
        .all
        .values()
        .filter(|package| package.key != program.key)
        .map(|package| component(package, "library"))
        .collect();
    components.extend(EMBEDDED.map(|part| {
        json!({
            "type": "library",
            "bom-ref": part.name,
            "name": part.name,
            "licenses": [{ "expression": part.license }],
            "externalReferences": [{ "type": "website", "url": part.url }],
        })
    }));
    let dependencies: Vec<_> = packages
        .all
        .keys()
        .map(|key| {
            let of = packages.dependencies.get(key).into_iter().flatten();
            let of: Vec<_> = of.map(reference).collect();
            json!({ "ref": reference(key), "dependsOn": of })
        })
        .collect();
    let bill = json!({
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": {
            "timestamp": timestamp.instant().to_string(),
            "component": component(program, "application"),
        },
        "components": components,
        "dependencies": dependencies,
    });
    format!("{bill:#}\n")
}

fn component(package: &Package, kind: &str) -> Value {
    let mut component = json!({
        "type": kind,
        "bom-ref": reference(&package.key),
        "name": package.key.name,
        "version": package.key.version,
    });
    // The registry can have other packages with the names of ours.
    if package.is_foreign {
        component["purl"] = json!(reference(&package.key));
    }
    if let Some(expression) = &package.license {
        // Old manifests separate alternatives by a slash.
        let parts: Vec<_> = expression.split('/').map(str::trim).collect();
        let expression = parts.join(" OR ");
        component["licenses"] = json!([{ "expression": expression }]);
    }
    if let Some(repository) = &package.repository {
        component["externalReferences"] = json!([{ "type": "vcs", "url": repository }]);
    }
    component
}

/// Returns the package URL.
fn reference(key: &Key) -> String {
    // A `+` begins the metadata of a version, and is a space in an URL.
    format!("pkg:cargo/{}@{}", key.name, key.version.replace('+', "%2B"))
}
